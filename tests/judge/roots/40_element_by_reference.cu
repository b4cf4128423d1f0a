// A reference to an element of a container.
#include <vector>
__global__ void r40_element_by_reference(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  std::vector<int> w{1, 2, 3};
  int &r = w.at(1);
  r = 9;
  n = w[1];
  r40_element_by_reference<<<2, 32>>>(p, n, m);
}
