// What `assert` changes depends on the build: it was taken for nothing.
#include <cassert>
static bool step(int &x) {
  return ++x > 0;
}

__global__ void k(float *a, int n, int m) {
  int i = 1, j = 1;
  assert(++i > 0);
  a[threadIdx.x * i] = 1;
  assert((j = 5));
  a[threadIdx.x * j] = 1;
  assert(i < 32);
  a[threadIdx.x * n + m] = 1;
}

int main(int argc, char **argv) {
  float *p;
  assert(cudaMalloc(&p, 1 << 16) == cudaSuccess);
  int n = 3, m = 2, q = 4;
  k<<<1, 32>>>(p, n, m);
  assert(++n > 0);
  k<<<1, 32>>>(p, n, m);
  assert(step(m));
  k<<<1, 32>>>(p, q, m);
  return 0;
}
