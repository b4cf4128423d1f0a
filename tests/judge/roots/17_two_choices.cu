// One of two pointers, chosen by lanes out of two that were chosen by conditions.
//@ launch r17_two_choices grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r17_two_choices(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  float *p = n > 4 ? a : a + 20001;
  __shared__ float s17v[64];
  float *q = m > 2 ? s17v : s17v + 1;
  float *r = n > 2 ? s17v : s17v + 1;
  float *w = (t & 1) ? q : r;
  w[t & 31] = 1;
  p[t] = 2;
}
