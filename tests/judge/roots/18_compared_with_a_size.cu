// A negative number that is compared with a size.
//@ launch r18_compared_with_a_size grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r18_compared_with_a_size(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int v = t - 4;
  if (v < sizeof(int) * 2)
    a[t * 8] = 1;
}
