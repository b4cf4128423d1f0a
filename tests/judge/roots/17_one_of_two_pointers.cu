// A pointer that is one of two, each moved.
//@ launch r17_one_of_two_pointers grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r17_one_of_two_pointers(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  float *p = n > 8 ? a + 1 : a + 2;
  p[t] = 1;
  __shared__ float s17[64];
  float *q = n > 8 ? s17 : s17 + 1;
  q[t * 2 & 62] = 1;
}
