// An array of characters in a class is written through a pointer to it.
#include <cstring>
__global__ void k(float *a, int n) { a[threadIdx.x * n] = 1; }
struct S {
  char c[4];
  signed char d[2];
};
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  S s{{1, 1, 1, 1}, {1, 1}};
  char *q = s.c;
  q[1] = 9;
  memset(s.d + 1, 7, 1);
  k<<<1, 32>>>(p, s.c[1]);
  k<<<1, 32>>>(p, s.d[1]);
}
