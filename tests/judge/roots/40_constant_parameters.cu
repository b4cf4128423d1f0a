// Parameters that say `const`: an object stays what it is, an array or what is referred to may change.
__global__ void r40_constant_parameters(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
typedef int Row[2];
static int widths[2] = {32, 64};
static void widen() { widths[0] += 32; }
static void many(const int w[2], const Row v, const int &r, const int copy, float *p) {
  widen();
  r40_constant_parameters<<<1, w[0]>>>(p, 1, 0);
  r40_constant_parameters<<<1, v[0]>>>(p, 2, 0);
  r40_constant_parameters<<<1, r>>>(p, 3, 0);
  r40_constant_parameters<<<1, copy>>>(p, 4, 0);
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  many(widths, widths, widths[0], widths[0], p);
}
