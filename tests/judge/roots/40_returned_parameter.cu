// A function gives back a reference to its parameter.
__global__ void r40_returned_parameter(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
static int &pick(int &x, int &y, bool first) { return first ? x : y; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  int &r = pick(n, m, argc > 1);
  r = 9;
  r40_returned_parameter<<<2, 32>>>(p, n, m);
}
