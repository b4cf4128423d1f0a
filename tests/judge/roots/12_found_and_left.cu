// A value that is set on the way to a break.
//@ launch r12_found_and_left grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r12_found_and_left(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int p = 0;
  for (int i = 0; i < 9; ++i)
    if (d[i] > m) {
      p = i;
      break;
    }
  a[t * p] = 1;
}
