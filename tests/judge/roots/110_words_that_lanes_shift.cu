// What is left of a word with its highest bit set differs between lanes that shift it by different amounts.
//@ launch r110_words_that_lanes_shift grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r110_words_that_lanes_shift(float *a, int n) {
  int t = threadIdx.x;
  a[(~0ull >> (63 - (t & 7))) * 8] = 1;
  a[__popcll(~0ull >> (63 - (t & 15))) * 8] = 1;
  unsigned long long high = 0xffffffff00000000ull;
  a[high / (t + 1ull) & 1023] = 1;
  a[min(~0ull, (unsigned long long)t) * 8] = 1;
  a[(~0ull >> (63 - (n & 7))) * 8 + t] = 1;
}
