// A mutable lambda launches with what its last call left.
__global__ void r40_mutable_launch(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1;
  auto f = [=]() mutable {
    n++;
    r40_mutable_launch<<<2, 32>>>(p, n, 0);
  };
  f();
  f();
}
