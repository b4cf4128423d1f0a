// One of two assignments is made.
__global__ void r40_effect_in_a_choice(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 0;
  argc > 1 ? (n = 4) : (n = 8);
  r40_effect_in_a_choice<<<2, 32>>>(p, n, m);
}
