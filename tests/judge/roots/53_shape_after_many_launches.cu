// A shape of block that comes after a dozen other launches has a verdict.
__global__ void r53_shape_after_many_launches(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  for (int n = 1; n < 8; ++n)
    r53_shape_after_many_launches<<<1, 32>>>(p, n, argc);
  for (int n = 1; n < 8; ++n)
    r53_shape_after_many_launches<<<1, 64>>>(p, n, argc);
  r53_shape_after_many_launches<<<1, dim3(12, 5)>>>(p, 2, 1);
  r53_shape_after_many_launches<<<1, dim3(16, 3)>>>(p, 3, 1);
  r53_shape_after_many_launches<<<1, 96>>>(p, 4, 1);
  r53_shape_after_many_launches<<<1, 48>>>(p, 5, 1);
  r53_shape_after_many_launches<<<1, 16>>>(p, 6, 1);
}
