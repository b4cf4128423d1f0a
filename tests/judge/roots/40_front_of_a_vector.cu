// A write to the front of a vector.
#include <vector>
__global__ void r40_front_of_a_vector(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  std::vector<int> v{1, 2};
  v.front() = 8;
  r40_front_of_a_vector<<<2, 32>>>(p, v[0], 0);
}
