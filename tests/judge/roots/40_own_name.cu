// A function of the program that is called like one of the library.
__global__ void r40_own_name(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
static void clamp(int &x) { x += 2; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  for (int i = 0; i < argc; ++i)
    clamp(n);
  r40_own_name<<<2, 32>>>(p, n, m);
}
