// A bound that is a remainder.
//@ launch r11_remainder_as_bound grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r11_remainder_as_bound(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int q = 8;
  for (int i = 0; i < n % 4; ++i)
    q--;
  a[t * q] = 1;
}
