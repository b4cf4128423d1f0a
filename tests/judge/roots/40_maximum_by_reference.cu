// `std::max` gives a reference.
#include <algorithm>
__global__ void r40_maximum_by_reference(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  const int &r = std::max(n, m);
  n = 7;
  m = r;
  r40_maximum_by_reference<<<2, 32>>>(p, n, m);
}
