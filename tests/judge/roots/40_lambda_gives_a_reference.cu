// A lambda gives back a reference to what it captured.
__global__ void r40_lambda_gives_a_reference(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  auto f = [&](bool first) -> int & { return first ? n : m; };
  f(argc > 1) = 15;
  r40_lambda_gives_a_reference<<<2, 32>>>(p, n, m);
}
