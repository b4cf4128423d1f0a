// A rule of remainders has exceptions.
//@ launch r24_exceptions_of_a_rule grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r24_exceptions_of_a_rule(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s24[2048];
  s24[t * (2 * (n & 127)) & 2047] = 1;
  if (n >= 0 && n < 30)
    s24[t * n] = 2;
  s24[t * (2 * n) & 2047] = 3;
  if (n >= 0 && n < 16)
    s24[t * (2 * n)] = 4;
}
