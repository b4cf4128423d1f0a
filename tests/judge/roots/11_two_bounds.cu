// A loop that one of two bounds ends.
//@ launch r11_two_bounds grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r11_two_bounds(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int i = 0;
  for (i = 0; i < n && i < 8; i++)
    ;
  a[t * i] = 1;
}
