#include <cuda_runtime.h>
// Two variables are called `d`; what is copied to one of them are pointers.
__global__ void both(float **q) {
  q[0][threadIdx.x] = 1;
  q[1][threadIdx.x] = 1;
}
struct Number {
  int v = 1;
  void set(int x) { v = x; }
};
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  {
    float *h[2] = {p, p + 65}, **d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    both<<<1, 32>>>(d);
  }
  {
    Number d;
    d.set(9);
  }
  return 0;
}
