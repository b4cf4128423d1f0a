// Each built-in function on integers, on words that differ in every bit from lane to lane.
__global__ void each(float *a) {
  int t = threadIdx.x;
  unsigned w = t * 2654435761u, v = w ^ 0x5bd1e995u;
  unsigned long long l = w * 200000033ull + 7919u;
  a[(__brev(w) >> 9) & 1023] = 1;
  a[(__brevll(l & ~1ull) >> 40) & 1023] = 1;
  a[__byte_perm(w, v, 0x2740u + (t & 3)) >> 7 & 1023] = 1;
  a[__clz((int)w) * 8 & 1023] = 1;
  a[__clzll((long long)l) * 8 & 1023] = 1;
  a[__ffs((int)w) * 8 & 1023] = 1;
  a[__ffsll((long long)l) * 8 & 1023] = 1;
  a[__fns(w, t & 31, t / 4 - 5) * 8 & 1023] = 1;
  a[(__funnelshift_l(w, v, t) >> 9) & 1023] = 1;
  a[(__funnelshift_lc(w, v, t) >> 9) & 1023] = 1;
  a[(__funnelshift_r(w, v, t) >> 9) & 1023] = 1;
  a[(__funnelshift_rc(w, v, t) >> 9) & 1023] = 1;
  a[(__mul24((int)w, (int)v) >> 9) & 1023] = 1;
  a[(__mul64hi((long long)l, (long long)(l ^ v)) >> 20) & 1023] = 1;
  a[(__mulhi((int)w, (int)v) >> 9) & 1023] = 1;
  a[__popc(w) * 8 & 1023] = 1;
  a[__popcll(l) * 8 & 1023] = 1;
  a[(__rhadd((int)w, (int)v) >> 9) & 1023] = 1;
  a[(__sad((int)w, (int)v, t) >> 9) & 1023] = 1;
  a[(__uhadd(w, v) >> 9) & 1023] = 1;
  a[(__umul24(w, v) >> 9) & 1023] = 1;
  a[(__umul64hi(l, l ^ v) >> 20) & 1023] = 1;
  a[(__umulhi(w, v) >> 9) & 1023] = 1;
  a[(__urhadd(w, v) >> 9) & 1023] = 1;
  a[(__usad(w, v, t) >> 9) & 1023] = 1;
  a[__vabsdiffu4(w, v) >> 7 & 1023] = 1;
  a[__vcmpgtu4(w, v) >> 7 & 1023] = 1;
  a[__vcmpne4(w, v) >> 7 & 1023] = 1;
  a[__vsubss4(w, v) >> 7 & 1023] = 1;
}

// NVRTC knows nothing of these: g++'s own, and those of old toolkits.
__global__ void of_others(float *a) {
  int t = threadIdx.x;
  unsigned w = t * 2654435761u, v = w ^ 0x5bd1e995u;
  unsigned long long l = w * 200000033ull + 7919u;
  a[__builtin_clz(w | 256) * 8 & 1023] = 1;
  a[__builtin_clzll(l | 256) * 8 & 1023] = 1;
  a[__builtin_ctz(w | 256) * 8 & 1023] = 1;
  a[__builtin_ctzll(l | 256) * 8 & 1023] = 1;
  a[__builtin_ffs((int)w) * 8 & 1023] = 1;
  a[__builtin_popcount(w) * 8 & 1023] = 1;
  a[__builtin_popcountll(l) * 8 & 1023] = 1;
  a[(mul24((int)w, (int)v) >> 9) & 1023] = 1;
  a[(umul24(w, v) >> 9) & 1023] = 1;
}

int main() {
  float *a;
  cudaMalloc(&a, 65536);
  each<<<1, 64>>>(a);
  of_others<<<1, 64>>>(a);
}
