// A cast writes what a reference only reads.
__global__ void r40_cast_of_a_constant(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
static void set(const int &x) { const_cast<int &>(x) = 9; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  const int &r = m;
  const_cast<int &>(r) = 6;
  set(n);
  r40_cast_of_a_constant<<<2, 32>>>(p, n, m);
}
