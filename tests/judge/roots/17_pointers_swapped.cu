// Pointers that a loop swaps.
//@ launch r17_pointers_swapped grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r17_pointers_swapped(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  float *p = a, *q = a + 3;
  for (int i = 0; i < (n & 3); ++i) {
    float *z = p;
    p = q;
    q = z;
  }
  p[t] = 1;
}
