// A pointer to a class is another address as one to a base that the class does not begin with.
#include <cuda_runtime.h>
__global__ void r233_bases(float *a, int n, int m) {
  a[threadIdx.x * n] = m;
}
struct First233 { int x[3]; };
struct Second233 { float y[64]; };
struct Both233 : First233, Second233 {};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  Both233 *both = (Both233 *)p;
  Second233 *second = both;
  r233_bases<<<1, 16>>>((float *)second, 1, 1);
  switch (argc) {
  case 1: {
    Both233 *whole = (Both233 *)p;
    Second233 *part = whole;
    r233_bases<<<1, 32>>>((float *)part, 1, 2);
  }
  default:
    r233_bases<<<1, 64>>>((float *)both, 1, 3);
  }
  cudaFree(p);
  return 0;
}
