// A literal zero for a pointer of a template.
template <class T>
__global__ void r40_literal_zero(T *a, T *b) {
  a[threadIdx.x * 2] = 1;
  if (b)
    b[threadIdx.x] = 2;
}
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  r40_literal_zero<float><<<4, 64>>>(p, 0);
}
