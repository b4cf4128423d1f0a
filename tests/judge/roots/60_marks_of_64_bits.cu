// A word of 64 bits may be a mark such as ~0ull, and its highest bits may be set: that no size is so large
// decides no comparison.
//@ launch r60_marks grid=(2) block=(64) args(a=f32[65536], d=i64[65536], n=?6, m=?7)
__global__ void r60_marks(float *a, const unsigned long long *d, unsigned long long n, long long m) {
  int t = threadIdx.x;
  unsigned long long x = d[t];
  if (x == ~0ull) a[t * 2] = 1;
  if ((long long)x < 0) a[t * 3] = 2;
  if (x >> 63) a[t * 5] = 4;
  if (x != 0xffffffffffffffffull) a[t * 6] = 5;
  if (x + 1 == 0) a[t * 7] = 6;
  if (n == ~0ull) a[t * 2] = 1;
  if ((long long)n < 0) a[t * 3] = 2;
  if (n > 1ull << 62)
    a[t * 4] = 3;
  else
    a[t * 5] = 4;
  if (n < 0xfffffffffffffff0ull) a[t * 9] = 9;
  if (m > 1ll << 61) a[t * 7] = 6;
  a[t * (int)(n >> 62)] = 7;
  a[(n & 1ull << 63 ? 8 : 1) * t] = 8;
}
