// Loops of unknown length, branches that may be taken, and functions that are given a pointer or a reference.
#include <cuda_runtime.h>
#include <cstdlib>
__global__ void r62_what_host_code_may_write(float *a, int n, int m) {
  int t = threadIdx.x;
  a[t * n] = 1;
  a[t + m] = n;
}
static void raise(int *x, int by) { for (int i = 0; i < by; ++i) { *x += 1; } }
static int lower(int &x, int by) { while (by-- > 0) { x -= 1; } return x; }
static void deep(int *x, int by) { if (by > 0) { deep(x, by - 1); *x += 1; } }
static void (*chosen)(int *, int) = raise;
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2, b = 32, k = 9;
  for (int i = 0; i < argc; ++i) n += 2;
  r62_what_host_code_may_write<<<1, b>>>(p, n, m);
  if (argc > 2) m = 5;
  r62_what_host_code_may_write<<<1, b>>>(p, 4, m);
  raise(&k, argc);
  r62_what_host_code_may_write<<<1, b>>>(p, k, 1);
  b = 64;
  lower(b, argc * 8);
  r62_what_host_code_may_write<<<1, b>>>(p, 1, 1);
  while (b < 96) { b += 32; if (argc > 3) m = 7; }
  r62_what_host_code_may_write<<<1, b>>>(p, 1, m);
  k = 2;
  deep(&k, argc);
  r62_what_host_code_may_write<<<1, 32>>>(p, k, 3);
  k = 2;
  chosen(&k, argc);
  r62_what_host_code_may_write<<<1, 32>>>(p, k, 4);
  cudaFree(p);
  return 0;
}
