// A loop over references to elements.
__global__ void r40_range_by_reference(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 0;
  int x[3] = {1, 2, 3};
  for (auto &e : x)
    e *= 2;
  n = x[1];
  r40_range_by_reference<<<2, 32>>>(p, n, m);
}
