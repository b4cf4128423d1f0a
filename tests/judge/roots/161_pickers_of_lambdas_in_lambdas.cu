// A picker whose inner lambda names an instance that is not known is launched twice; only the first launch was said
// not to be known, and the verdict of the known instance was held for all of the second.
#include <cuda_runtime.h>
template <int B>
__global__ void picked(float *a, int n) {
  a[threadIdx.x * B + n] = 1;
}
typedef void (*fn)(float *, int);
static fn pick(bool a, bool b) {
  return [&] {
    if (a) {
      constexpr int X = 1;
      return [&] {
        if (b) {
          constexpr int Y = 2;
          return picked<X * 4 + Y>;
        } else {
          constexpr int Y = 3;
          return picked<X * 4 + Y>;
        }
      }();
    } else {
      constexpr int X = 2;
      return picked<X>;
    }
  }();
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  auto one = pick(argc > 1, argc > 2);
  one<<<1, 64>>>(p, 3);
  for (int i = 0; i < argc; ++i) {
    auto f = pick(argc > 1, argc > 2);
    f<<<1, 32>>>(p, 1);
  }
  cudaFree(p);
  return 0;
}
