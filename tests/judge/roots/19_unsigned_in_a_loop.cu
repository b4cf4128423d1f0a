// An unsigned variable that a loop takes below zero.
//@ launch r19_unsigned_in_a_loop grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r19_unsigned_in_a_loop(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s[4096];
  unsigned q = t;
  for (int i = 0; i < 4; ++i)
    q -= 5;
  s[q > 100 ? t * 8 : t] = 1;
}
