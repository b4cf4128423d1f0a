// A pointer to one of several locals comes out of an array.
//@ launch r17_locals_in_an_array grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r17_locals_in_an_array(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int x = 1, y = 1;
  int *ps[2] = {&x, &y};
  *ps[n & 1] = 8;
  a[t * x] = 1;
  int z = t;
  int *qs[2] = {&z, &y};
  a[*qs[n & 1] * 8] = 2;
}
