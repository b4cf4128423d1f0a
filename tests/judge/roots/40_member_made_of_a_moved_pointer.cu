// An object keeps the moved pointer that it is made of, and launches with it.
__global__ void r40_member(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct Runner {
  float *at;
  void run(int n) { r40_member<<<2, 32>>>(at, n, 0); }
};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  Runner r{p + 2};
  r.run(1);
}
