// A field of three bits.
__global__ void r40_bit_field(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct S {
  unsigned v : 3;
  S() : v(1) {}
};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  S s;
  s.v = 9;
  n = s.v;
  r40_bit_field<<<2, 32>>>(p, n, m);
}
