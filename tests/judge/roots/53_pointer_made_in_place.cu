// `new` in a place writes what it is given.
#include <new>
__global__ void r53_pointer_made_in_place(float *a, int n) { a[threadIdx.x * n] = 1; }
int main(int argc, char **argv) {
  float *p, *q;
  cudaMalloc(&p, 1 << 20);
  new (&q) float *(p + 3);
  r53_pointer_made_in_place<<<1, 32>>>(q, 1);
}
