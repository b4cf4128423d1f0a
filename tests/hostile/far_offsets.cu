// Offsets at the end of what 64 bits hold, wide and beside an unknown one.
__constant__ int table[64];
__global__ void far_offsets(unsigned char *o, const int *data, int n) {
  __shared__ double s[64];
  while (data[threadIdx.x]) {
    o += table[n & 63];
    *reinterpret_cast<float4 *>(&o[9223372036854775807LL]) = make_float4(0, 1, 2, 3);
    *reinterpret_cast<float4 *>(&o[-9223372036854775807LL]) = make_float4(0, 1, 2, 3);
    *reinterpret_cast<float2 *>(&o[9223372036854775807LL - threadIdx.x * (n & 7)]) = make_float2(0, 1);
    s[threadIdx.x + 1152921504606846976LL] = n;
    s[threadIdx.x * 4611686018427387904LL + 9223372036854775000LL] = n;
  }
}
__global__ void far_apart(char *o, long long n, int pitch) {
  extern __shared__ char s[];
  int t = threadIdx.x;
  o[t] = s[t * pitch + (t < 16 ? -(1LL << 62) : (1LL << 62))];
  o[t] = s[t * pitch + (t < 16 ? -(1LL << 62) + 1 : (1LL << 62) - 1)];
  o[t] = s[((t < 16 ? -(1LL << 62) : (1LL << 62)) + t) / n];
  o[t * pitch + (t < 16 ? -(1LL << 62) : (1LL << 62))] = s[(t / (pitch & 1)) + (n > 5 ? 0 : 7)];
}
__global__ void all_bits_but_the_sign(char *o, long long n) {
  o[(threadIdx.x & 9223372036854775807LL) + (n & 9223372036854775807LL)] = 1;
}
