// Arguments that write one variable, or one what another reads: C++ names no order.
static int first(int x, int y) {
  return x;
}
static int count = 0;
static int next() {
  return ++count;
}

__global__ void k(float *a, int n, int m) {
  a[threadIdx.x * n + m] = 1;
}

int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 16);
  int n = 3, m = 2;
  first(n = 1, n = 2);
  k<<<1, 32>>>(p, n, 1);
  n = 3;
  first(n = m, m = 5);
  k<<<1, 32>>>(p, n, m);
  n = 4;
  k<<<1, 32>>>(p, n *= 2, n += 1);
  k<<<1, 32>>>(p, n, 1);
  n = first(next(), next());
  k<<<1, 32>>>(p, 1, count);
  return 0;
}
