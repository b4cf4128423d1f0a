#include <cuda_runtime.h>
// A friend that assigns may write its right operand.
__global__ void rows(float *a, int n) { a[threadIdx.x * n] = 1; }
struct Sum {
  int v;
  friend Sum &operator+=(Sum &s, int &x) {
    s.v += x;
    x = 6;
    return s;
  }
};
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3;
  {
    Sum s{2};
    s += n;
  }
  rows<<<1, 32>>>(p, n);
  return 0;
}
