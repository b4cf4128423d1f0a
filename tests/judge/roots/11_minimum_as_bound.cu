// A bound that is a minimum.
//@ launch r11_minimum_as_bound grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r11_minimum_as_bound(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int q = 1;
  for (int i = 0; i < min(n, 8); ++i)
    q = i;
  a[t * q] = 1;
}
