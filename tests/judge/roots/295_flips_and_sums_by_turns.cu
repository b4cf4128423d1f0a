#include <cstdint>
__device__ __forceinline__ uint32_t adv2(uint32_t o, uint32_t idx) { return (o ^ (0x2 + (0x4 * (idx % 2 == 1)))) + (idx % 4 == 3) * 8; }
__global__ void noq(float *out, int n) {
  __shared__ float s[2048];
  uint32_t o = threadIdx.x * 8 + (threadIdx.x % 8);
  for (int k = 0; k < n; k++) {
    for (uint32_t d = 0; d < 4; d++) { s[o] = 1; o = adv2(o, d); }
    o -= 8;
  }
}
__global__ void noat(float *out, int n) {
  __shared__ float s[2048];
  uint32_t o = threadIdx.x * 8 + (threadIdx.x % 8);
  for (int k = 0; k < n; k++) {
    for (uint32_t d = 0; d < 4; d++) { s[o] = 1; o = o ^ (d & 1 ? 6 : 2); }
  }
}
__global__ void big(float *out, int n) {
  __shared__ float s[2048];
  uint32_t o = threadIdx.x * 8 + (threadIdx.x % 8);
  for (int k = 0; k < n; k++) {
    for (uint32_t d = 0; d < 4; d++) { s[o] = 1; o = ((o + 256) ^ (d & 1 ? 6 : 2)) - 256; }
  }
}
__global__ void two(float *out, int n) {
  __shared__ float s[2048];
  uint32_t o = threadIdx.x * 8 + (threadIdx.x % 8);
  for (int k = 0; k < n; k++) {
    for (uint32_t d = 0; d < 4; d++) { s[o] = 1; o = ((o + 256) ^ (d & 1 ? 6 : 2)) + (d % 4 == 3) * 8- 256; }
    o -= 8;
  }
}
int main(int c, char **v) { float *p; noq<<<1, 32>>>(p, c); noat<<<1, 32>>>(p, c); big<<<1, 32>>>(p, c); two<<<1, 32>>>(p, c);}
