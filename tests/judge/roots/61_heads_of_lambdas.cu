#include <cuda_runtime.h>
// What stands in a lambda's own head hides constants and variables around it.
__global__ void rows(float *a, int n) { a[threadIdx.x * n] = 1; }
static int scaled(int x) { return x * 10; }
namespace other {
static int scaled(int x, int by = 3) { return x * by; }
} // namespace other
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  constexpr int B = 64;
  auto go = [&]<int B>(int n) { rows<<<1, B>>>(p, n); };
  go.template operator()<32>(argc);
  go.template operator()<48>(2);
  auto by_type = [&]<class T>(T *q, int n) { rows<<<2, 8 * sizeof(T)>>>((float *)q, n); };
  by_type(p, 3);
  by_type((double *)p, B / 16);
  {
    using other::scaled;
    rows<<<3, 32>>>(p, scaled(1));
  }
  rows<<<3, 64>>>(p, scaled(1));
  uint3 shape = {8, 2, 1};
  dim3 block(shape);
  rows<<<1, block>>>(p, 5);
  rows<<<1, shape>>>(p, 6);
  return 0;
}
