// An argument whose type is not known is an element of a pack as any other.
#include <cuda_runtime.h>
template <class... A> __device__ int count259(A...) { return sizeof...(A); }
template <class A, class... B> __device__ int rest259(A, B...) { return sizeof...(B); }
template <class... A> __device__ int sizes259(A...) { return (0 + ... + static_cast<int>(sizeof(A))); }
__device__ auto hidden259(int n) {
  if constexpr (sizeof(n) == 4) {
    return n + 1LL;
  } else {
    return n;
  }
}
struct Bits259 {
  int a : 3;
  int b : 5;
};
__global__ void kernel259(float *p, Bits259 bits) {
  p[threadIdx.x * count259(hidden259(1), 1, 2)] = 1;
  p[threadIdx.x * rest259(hidden259(1), 1, hidden259(2)) + 512] = 1;
  p[threadIdx.x * sizes259(hidden259(1), 'a') + 1024] = 1;
  p[threadIdx.x * count259(bits.a, hidden259(3)) + 1536] = 1;
}
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  kernel259<<<1, 32>>>(p, Bits259{1, 2});
  cudaFree(p);
}
