// A static variable of a function keeps what its first call gave it.
__global__ void r40_first_value_of_a_static(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
static int r40_memo(int x) {
  static const int k = x;
  return k;
}
static void r40_launch(float *p, int x) {
  static const int k = x;
  r40_first_value_of_a_static<<<1, k>>>(p, 1, x);
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  r40_first_value_of_a_static<<<1, r40_memo(32)>>>(p, 1, 0);
  r40_first_value_of_a_static<<<1, r40_memo(64)>>>(p, 2, 0);
  r40_launch(p, 96);
  r40_launch(p, 128);
}
