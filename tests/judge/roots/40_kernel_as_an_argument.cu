// A function launches the kernel that it is given.
__global__ void r40_kernel_as_an_argument(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
template <class F> static void go(F f, float *p, int n) {
  f<<<1, 32>>>(p, n, 0);
  n += 2;
  f<<<1, 64>>>(p, n, 0);
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  for (int i = 0; i < argc; ++i)
    go(r40_kernel_as_an_argument, p, 3);
}
