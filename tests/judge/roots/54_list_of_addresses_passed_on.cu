#include <cuda_runtime.h>
// What a list of addresses holds is not seen where it is a parameter.
__global__ void fill(float *a, int n) { a[threadIdx.x] = n; }
static void go(void **arguments, int b) { cudaLaunchKernel(fill, dim3(1), dim3(b), arguments, 0, 0); }
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  float *q = p + 3;
  int n = 2;
  void *arguments[] = {&q, &n};
  fill<<<2, 32>>>(p, n);
  go(arguments, 32);
  go(arguments, 48);
  return 0;
}
