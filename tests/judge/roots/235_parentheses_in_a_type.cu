// A variable with braces whose type holds a parenthesis, outside of functions.
#include <cuda_runtime.h>
#include <functional>
constexpr int step235 = 1;
namespace n235 {
constexpr decltype(1 + 1) step235{8};
__global__ void r235_step(int *a) {
  a[threadIdx.x * step235] = 1;
}
} // namespace n235
__global__ void r235_started(float *a, int n) {
  a[threadIdx.x * n] = 1;
}
static int block235 = 32;
static void go235(float *p, int n) { r235_started<<<1, block235>>>(p, n); }
static std::function<void(int)> set235{[](int v) { block235 = v; }};
static std::function<void(float *, int)> start235{go235};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  n235::r235_step<<<1, 32>>>((int *)p);
  go235(p, 1);
  set235(64);
  start235(p, 2);
  cudaFree(p);
  return 0;
}
