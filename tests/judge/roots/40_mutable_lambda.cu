// A mutable lambda keeps its copy between calls.
__global__ void r40_mutable_lambda(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 0;
  auto f = [n]() mutable { return n += 3; };
  f();
  n = f();
  r40_mutable_lambda<<<2, 32>>>(p, n, m);
}
