// A divisor of which the text says that it is small.
//@ launch r21_divisor_that_is_small grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r21_divisor_that_is_small(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[t / ((n & 3) + 1) * 8] = 1;
}
