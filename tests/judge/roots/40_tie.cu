// A tuple that is taken apart.
#include <tuple>
__global__ void r40_tie(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 0;
  std::tie(n, m) = std::make_tuple(8, 1);
  r40_tie<<<2, 32>>>(p, n, m);
}
