// A signed char that a loop takes beyond its range.
//@ launch r19_narrow_in_a_loop grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r19_narrow_in_a_loop(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  signed char y = 0;
  for (int i = 0; i < 8; ++i)
    y += 20;
  a[y < 0 ? t * 8 : t] = 1;
}
