// Pointers that are swapped between launches.
__global__ void r40_swapped_between_launches(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 0;
  float *q = p + 1;
  for (int i = 0; i < 2; ++i) {
    r40_swapped_between_launches<<<2, 32>>>(p, 1, 0);
    float *z = p;
    p = q;
    q = z;
  }
  r40_swapped_between_launches<<<2, 32>>>(p, 1, 0);
}
