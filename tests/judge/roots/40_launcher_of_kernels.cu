// A launcher checks a constant shape and gives on what it was given; a number makes a shape.
__global__ void r40_launcher_of_kernels(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
static int checks = 0;
static bool check(const dim3 &shape, unsigned most) {
  ++checks;
  return shape.x <= most;
}
template <typename... P, typename... A>
static void launch(void (*kernel)(P...), const dim3 grid, dim3 const block, A &&...args) {
  if (check(grid, 1000) && check(block, 1024)) kernel<<<grid, block>>>(args...);
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int b = 32 * argc;
  launch(r40_launcher_of_kernels, argc, 64, p, 2, 0);
  launch(&r40_launcher_of_kernels, 2, dim3(16, 4), p, 3, 1);
  launch(r40_launcher_of_kernels, 3, b, p, 5, 0);
  dim3 const grid(argc);
  dim3 block(8, 8);
  block = b;
  launch(r40_launcher_of_kernels, grid, block, p, 4, 0);
}
