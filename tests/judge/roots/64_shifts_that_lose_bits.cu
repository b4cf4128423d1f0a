// Bits that a shift to the left takes out of a signed number are gone, however large the number was.
struct r64_Word {
  unsigned low : 4;
  int middle : 11;
  unsigned high : 17;
};
//@ launch r64_shifts_that_lose_bits grid=(1) block=(32) args(a=f32[65536], n=?5)
__global__ void r64_shifts_that_lose_bits(float *a, int n) {
  int t = threadIdx.x;
  r64_Word word;
  word.middle = t;
  word.high = 1;
  word.middle = t + 5;
  a[t * word.middle] = 1;
  a[t + ((n << 30) >> 30) * 3] = 1;
  a[t * (((n - 9) << 31) >> 31)] = 1;
}
//@ launch r64_unsigned_words grid=(1) block=(32) args(a=f32[65536], w=?9)
__global__ void r64_unsigned_words(float *a, unsigned long long w) {
  a[(int)(w >> 32 & 15) + threadIdx.x] = 1;
}
