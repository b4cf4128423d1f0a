// Members of a union share their bytes.
__global__ void r40_union(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  union {
    int i;
    float f;
  } u;
  u.i = 5;
  u.f = 1.0f;
  n = u.i & 15;
  r40_union<<<2, 32>>>(p, n, m);
}
