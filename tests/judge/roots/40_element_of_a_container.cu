// One of several pointers in a container.
#include <vector>
__global__ void r40_element_of_a_container(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  std::vector<float *> q{p, p + 1};
  r40_element_of_a_container<<<2, 32>>>(q[argc & 1], 1, 0);
}
