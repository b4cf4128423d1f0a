// A write through one of two addresses.
__global__ void r40_one_of_two_addresses(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 0;
  int *q = argc > 1 ? &n : &m;
  *q = 5;
  r40_one_of_two_addresses<<<2, 32>>>(p, n, m);
}
