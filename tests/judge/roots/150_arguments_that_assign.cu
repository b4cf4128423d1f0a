// Arguments of a launch that assign: the grammar took them for a list with commas.
__global__ void k(float *a, int n, int m) {
  a[threadIdx.x * n + m] = 1;
}

int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 16);
  int n = 3, m = 2, g = 1, b = 64;
  k<<<1, 32>>>(p, n = 5, 1);
  k<<<1, 32>>>(p, n, m);
  k<<<1, 32>>>(p, 7, m = n += 2);
  k<<<1, 32>>>(p, n, m);
  k<<<g = 3, b /= 2>>>(p, n, m = 4);
  k<<<g, b>>>(p, n, m);
  k<<<g, b>>>(p, n <<= 1, m);
  k<<<g, b>>>(p += 1, n |= 1, m);
  k<<<g, b>>>(p, n, m);
  return 0;
}
