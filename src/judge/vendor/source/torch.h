#pragma once
// What device code takes of PyTorch's headers. Types are laid out as there.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#define C10_HOST_DEVICE __device__
#define C10_DEVICE __device__
#define C10_HOST
#define C10_EXPORT
#define C10_WARP_SIZE 32
#define C10_UNUSED
#define C10_ALWAYS_INLINE __forceinline__
#define C10_RESTRICT __restrict__
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define CUDA_KERNEL_LOOP_TYPE(i, n, type)                                        \
  int64_t judge_##i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;            \
  for (type i = judge_##i; judge_##i < (n); judge_##i += blockDim.x * gridDim.x, i = judge_##i)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_KERNEL_ASSERT(...) ((void)0)
#define TORCH_CHECK(...) ((void)0)
#define GPU_LAMBDA __device__
namespace c10 {
struct alignas(2) Half {
  unsigned short x;
  Half() = default;
  __device__ Half(float value) : x(__half_as_ushort(__float2half(value))) {}
  __device__ Half(const __half &value) : x(__half_as_ushort(value)) {}
  __device__ operator float() const { return __half2float(__ushort_as_half(x)); }
  __device__ operator __half() const { return __ushort_as_half(x); }
};
struct alignas(2) BFloat16 {
  unsigned short x;
  BFloat16() = default;
  __device__ BFloat16(float value) : x(__bfloat16_as_ushort(__float2bfloat16(value))) {}
  __device__ BFloat16(const __nv_bfloat16 &value) : x(__bfloat16_as_ushort(value)) {}
  __device__ operator float() const { return __bfloat162float(__ushort_as_bfloat16(x)); }
  __device__ operator __nv_bfloat16() const { return __ushort_as_bfloat16(x); }
};
namespace cuda {}
} // namespace c10
namespace at {
using c10::BFloat16;
using c10::Half;
template <class T, bool is_cuda> struct AccumulateType { using type = long long; };
template <> struct AccumulateType<float, true> { using type = float; };
template <> struct AccumulateType<float, false> { using type = double; };
template <bool is_cuda> struct AccumulateType<double, is_cuda> { using type = double; };
template <bool is_cuda> struct AccumulateType<Half, is_cuda> { using type = float; };
template <bool is_cuda> struct AccumulateType<BFloat16, is_cuda> { using type = float; };
template <bool is_cuda> struct AccumulateType<__half, is_cuda> { using type = float; };
template <bool is_cuda> struct AccumulateType<bool, is_cuda> { using type = bool; };
template <class T, bool is_cuda> using acc_type = typename AccumulateType<T, is_cuda>::type;
template <class T> struct OpMathType { using type = T; };
template <> struct OpMathType<Half> { using type = float; };
template <> struct OpMathType<BFloat16> { using type = float; };
template <class T> using opmath_type = typename OpMathType<T>::type;
namespace cuda {}
namespace native {}
class Tensor;
} // namespace at
namespace torch {
using at::Tensor;
}
template <class T> __device__ inline T gpuAtomicAdd(T *to, T value) { return atomicAdd(to, value); }
template <class T> __device__ inline void gpuAtomicAddNoReturn(T *to, T value) { atomicAdd(to, value); }
template <class T>
__device__ inline T WARP_SHFL(T value, int lane, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_sync(mask, value, lane, width);
}
template <class T>
__device__ inline T WARP_SHFL_XOR(T value, int lanes, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
template <class T>
__device__ inline T WARP_SHFL_UP(T value, unsigned by, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_up_sync(mask, value, by, width);
}
template <class T>
__device__ inline T WARP_SHFL_DOWN(T value, unsigned by, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_down_sync(mask, value, by, width);
}
