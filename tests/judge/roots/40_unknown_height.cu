// A block whose height is not known.
__global__ void r40_unknown_height(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 0;
  for (int i = 0; i < argc; ++i)
    n += 2;
  r40_unknown_height<<<2, dim3(12, n)>>>(p, 4, m);
}
