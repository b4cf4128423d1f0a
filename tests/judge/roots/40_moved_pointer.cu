// A write to a place of an array that is not known.
__global__ void r40_moved_pointer(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 0;
  int x[3] = {1, 2, 3};
  *(x + argc % 3) = 8;
  n = x[1];
  r40_moved_pointer<<<2, 32>>>(p, n, m);
}
