// From 2^60 on a word has no bound: no larger divisor, mask or number is above it.
//@ launch words grid=(1) block=(32) args(a=f32[65536])
__global__ void words(float *a, unsigned long long w, long long l) {
  int t = threadIdx.x;
  a[((w >> 31) >> 30) * t] = 1;
  a[(w / 1000000000 / 1000000000 / 3) * t] = 1;
  a[((w >> 32) / 0x20000000) * t] = 1;
  a[((max(w, 1ull << 62) >> 61) - 2) * t] = 1;
  a[(min(w, 1ull << 62) > 1ull << 61 ? 3 : 1) * t] = 1;
  a[((w & 0x1fffffffffffffff) == w ? 3 : 1) * t] = 1;
  a[((w & 0x1ffffffffffffff0) == (w - (w & 15)) ? 3 : 1) * t] = 1;
  a[((w % (1ull << 61)) == w ? 3 : 1) * t] = 1;
  a[((w % 8) + (w > 1ull << 61 ? 5 : 0)) * t] = 1;
  a[((l >> 31) >> 30 & 7) * t] = 1;
  switch (w >> 31 >> 31) {
  case 0:
    a[t * 2] = 1;
    break;
  case 1:
    a[t * 3] = 1;
    break;
  default:
    a[t * 4] = 1;
  }
}
struct Fields {
  unsigned low : 3;
  unsigned long long high : 33;
  bool last : 1;
};
//@ launch fields grid=(1) block=(64) args(a=f32[65536])
__global__ void fields(float *a) {
  Fields f;
  f.low = threadIdx.x;
  f.high = (unsigned long long)threadIdx.x << 30;
  f.last = threadIdx.x & 6;
  a[(f.high >> 30) * 8] = 1;
}
