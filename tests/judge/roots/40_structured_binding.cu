// Both parts of a pair were moved.
#include <utility>
__global__ void r40_structured_binding(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  auto [q, r] = std::make_pair(p + 1, p + 2);
  r40_structured_binding<<<2, 32>>>(q, 1, 0);
  r40_structured_binding<<<2, 64>>>(r, 1, 0);
}
