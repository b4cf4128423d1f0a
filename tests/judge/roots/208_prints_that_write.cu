// `%n` writes how much was printed; other conversions write nothing.
#include <cstdio>
__global__ void k(float *a, int n) { a[threadIdx.x * n] = 1; }
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 2;
  fprintf(stderr, "%d%%, %hn abc", m, (short *)&n);
  fprintf(stderr, "%d is next %d%%n", m, n);
  int o = 3;
  const char *format = "four%n";
  fprintf(stderr, format, &o);
  k<<<1, 32>>>(p, n);
  k<<<1, 32>>>(p, m);
  k<<<1, 32>>>(p, o);
}
