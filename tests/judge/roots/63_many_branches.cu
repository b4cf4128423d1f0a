// More branches than are told apart.
#include <cuda_runtime.h>
__global__ void r63_many_branches(float *a, int n, int m) { a[threadIdx.x * n + m] = 1; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 0, b = 32, k = 1, l = 1, o = 1, q = 1, r = 1;
  if (argc > 1) n = 2;
  if (argc > 2) m = 1;
  if (argc > 3) b = 64;
  if (argc & 1) k = 3;
  if (argc & 2) l = 4;
  if (argc == 3) o = 2;
  if (argc == 4) q = 5;
  if (argc < 2) r = 6;
  r63_many_branches<<<1, b>>>(p, n, m);
  r63_many_branches<<<1, b>>>(p, k, l);
  r63_many_branches<<<1, 32>>>(p + o, q, r);
  float *moved = p;
  for (int i = 0; i < argc; ++i) moved += 3;
  r63_many_branches<<<1, 32>>>(moved, 1, 0);
  cudaFree(p);
  return 0;
}
