#include <cuda_runtime.h>
// A class computes the pointer that it is cast to.
__global__ void rows(float *a, int n) { a[threadIdx.x * n] = 1; }
struct Slice {
  float *q;
  explicit operator float *() const { return q + 1; }
  explicit operator bool() const { return q; }
};
static Slice make(float *p) { return {p}; }
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  Slice slice{p};
  auto other = make(p + 2);
  if (slice)
    rows<<<1, 32>>>(static_cast<float *>(slice), 1);
  rows<<<1, 32>>>((float *)slice, 1);
  rows<<<1, 32>>>((float *)other, 1);
  rows<<<1, 32>>>((float *)make(p), 1);
  return 0;
}
