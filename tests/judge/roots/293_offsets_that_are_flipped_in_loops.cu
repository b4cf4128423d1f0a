#include <cstdlib>
#include <cstdint>
template <uint32_t step> __device__ __forceinline__ uint32_t adv_col(const uint32_t &o, const uint32_t &idx) {
  if constexpr (step == 2) return (o ^ (0x2 + (0x4 * (idx % 2 == 1)))) + (idx % 4 == 3) * 8;
  else return o + step;
}
template <uint32_t step, int stride> __device__ __forceinline__ uint32_t adv_row(const uint32_t &o) {
  if constexpr (step == 4) return (o ^ 0x4) + step * stride;
  else return o + step * stride;
}
__global__ void one(float4 *out, int n) {
  __shared__ float4 s[2048];
  uint32_t lane = threadIdx.x % 32;
  uint32_t o = (lane % 16) * 8 + ((lane / 16) ^ ((lane % 16) % 8));
  float4 r = {};
#pragma unroll
  for (uint32_t d = 0; d < 4; d++) {
#pragma unroll
    for (uint32_t q = 0; q < 2; q++) {
      r.x += s[o].x;
      o = adv_row<16, 8>(o);
    }
    o = adv_col<2>(o, d) - 2 * 16 * 8;
  }
  o -= 8;
  out[threadIdx.x].x = r.x;
}
__global__ void two(float4 *out, int n) {
  __shared__ float4 s[2048];
  uint32_t lane = threadIdx.x % 32;
  uint32_t o = (lane % 16) * 8 + ((lane / 16) ^ ((lane % 16) % 8));
  float4 r = {};
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (uint32_t d = 0; d < 4; d++) {
#pragma unroll
      for (uint32_t q = 0; q < 2; q++) {
        r.x += s[o].x;
        o = adv_row<16, 8>(o);
      }
      o = adv_col<2>(o, d) - 2 * 16 * 8;
    }
    o -= 8;
  }
  out[threadIdx.x].x = r.x;
}
__global__ void three(float4 *out, int n) {
  __shared__ float4 s[2048];
  uint32_t lane = threadIdx.x % 32;
  uint32_t o = (lane / 8) * 8 + ((lane % 8) ^ ((lane / 8) % 8));
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (uint32_t d = 0; d < 4; d++) {
#pragma unroll
      for (uint32_t q = 0; q < 1; q++) {
        s[o] = out[o];
        o += 8;
      }
      o = adv_row<4, 8>(o - 8);
    }
    o -= 4 * 4 * 8;
  }
}
int main(int c, char **v) { float4 *p = nullptr; cudaMalloc(&p, 1 << 20); one<<<1, 128>>>(p, 3); two<<<1, 128>>>(p, c + 2); three<<<1, 128>>>(p, c + 2); }
