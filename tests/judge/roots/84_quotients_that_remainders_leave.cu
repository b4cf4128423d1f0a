// What a remainder leaves is a multiple of the divisor, what a quotient leaves is the remainder.
//@ launch r84_axes grid=(4) block=(64) args(out=f32[65536], in=f32[65536], d0=?2, d1=?3, d2=?5)
__global__ void r84_axes(float *out, const float *in, int d0, int d1, int d2) {
  if (d0 <= 0 || d1 <= 0 || d2 <= 0) return;
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int c = i % d2;
  const int b = ((i - c) / d2) % d1;
  const int a = ((i - c) / d2 - b) / d1 % d0;
  out[((b * d0 + a) * d2 + c) & 16383] = in[(a * d1 * d2 + b * d2 + c) & 16383];
}
//@ launch r84_rows grid=(4) block=(64) args(out=f32[65536], in=f32[65536], n=?5)
__global__ void r84_rows(float *out, const float *in, unsigned n) {
  if (n == 0) return;
  unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
  unsigned r = i / n, c = i - r * n;
  out[r * n + c] = in[c * 2 & 8191];
}
//@ launch r84_negative grid=(4) block=(64) args(out=f32[65536], in=f32[65536], n=?5)
__global__ void r84_negative(float *out, const float *in, int n) {
  if (n == 0) return;
  int i = 31 - (int)threadIdx.x;
  int r = i / n, c = i - r * n, w = (i - i % n) / n;
  out[(c + 64) & 8191] = in[(w * 3 + 512) & 8191];
}
//@ launch r84_words grid=(4) block=(64) args(out=f32[65536], in=f32[65536], m=?5, d=i64[64])
__global__ void r84_words(float *out, const float *in, size_t m, const long long *d) {
  size_t i = threadIdx.x + blockIdx.x * blockDim.x;
  out[(i - m) % 64] = in[(size_t)(d[0] - 1000) % 32 + i * 2];
  out[(i - m) % 48 & 127] = in[i];
}
//@ launch r84_apart grid=(4) block=(64) args(o=f32[65536], n=?5, m=?7)
__global__ void r84_apart(float *o, int n, int m) {
  int i = blockIdx.x * n + threadIdx.x * 4;
  o[(i >> 2) & 1023] = 1;
  o[(blockIdx.x % 3 * n + m + (threadIdx.x << 2)) / 4 & 1023] = 1;
  o[((i / 4) * 4 + i % 4) & 4095] = 1;
  o[((i - 300) >> 3) + 512] = 1;
  o[(i - 300) / 4 + 512] = 1;
}
//@ launch r84_high_bits grid=(4) block=(64) args(o=f32[65536], n=?5, m=?7)
__global__ void r84_high_bits(float *o, int n, int m) {
  int x = blockIdx.x * 32 + threadIdx.x;
  o[((x & 0xffffffe0) * (m & 3) + (x & 31)) & 8191] = 1;
  unsigned char c = x * 5;
  o[(c & 0xf8) * 2 + (c & 7)] = 1;
  o[((x - 40) & 0xfffffff0) + (x & 15) & 4095] = 1;
  for (int i = threadIdx.x << 2; i < (n & 511); i += blockDim.x << 2) o[((i & 0xffffffe0) * 3 + (i & 31)) >> 2] = 1;
}
