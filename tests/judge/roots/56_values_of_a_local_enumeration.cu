#include <cuda_runtime.h>
#include <limits>
// What follows an enumerator whose value is not known is not known either; those of an `enum class` go
// by its name only.
__global__ void rows(float *a, int n) { a[threadIdx.x * n] = 1; }
const int wide = 3;
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  {
    enum class Size { narrow = 1, wide };
    rows<<<1, 32>>>(p, wide);
    rows<<<1, 32>>>(p, int(Size::wide));
  }
  {
    enum { first = std::numeric_limits<short>::digits, second };
    rows<<<1, 32>>>(p, second);
  }
  return 0;
}
