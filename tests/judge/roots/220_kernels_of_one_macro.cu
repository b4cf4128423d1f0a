// One call of a macro defines several kernels: each is told of, with its own launches.
#include <cuda_runtime.h>
#define PAIR(name, F)                                                                                                  \
  __global__ void name##_f(float *a, int n) { a[threadIdx.x * F + n] = 1; }                                            \
  __global__ void name##_b(float *a, int n) { a[threadIdx.x * (F + 1) + n] = 1; }
PAIR(one, 2)
PAIR(two, 5)
#define LIST(X) X(float, f) X(double, d)
#define DEFINE(T, s) __global__ void of_##s(T *a, int n) { a[threadIdx.x * sizeof(T) / 2 + n] = 1; }
LIST(DEFINE)
int main() {
  float *p;
  cudaMalloc(&p, 1 << 16);
  one_f<<<1, 32>>>(p, 1);
  one_b<<<2, 64>>>(p, 2);
  two_b<<<1, 96>>>(p, 3);
  of_f<<<1, 32>>>(p, 4);
  of_d<<<1, 64>>>((double *)p, 8);
}
