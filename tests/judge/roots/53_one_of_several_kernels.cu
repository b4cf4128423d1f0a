// Which of the kernels of a name is meant may be open: none is guessed.
template <class T> __global__ void r53_one_of_several_kernels(T *a) { a[threadIdx.x * 2] = 1; }
template <class T> __global__ void r53_one_of_several_kernels(const T *a) { *(T *)(a + threadIdx.x) = 1; }
__global__ void r53_one_of_several_kernels(double *a) { a[threadIdx.x * 4] = 1; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  const float *q = p;
  r53_one_of_several_kernels<<<1, 32>>>(q);
  r53_one_of_several_kernels<<<1, 64>>>(p);
  r53_one_of_several_kernels<<<1, 96>>>((double *)p);
}
