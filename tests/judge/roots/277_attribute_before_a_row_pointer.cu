// `[[maybe_unused]] float (*w)[8] = …`, `alignas(16) …`, `__attribute__((unused)) …`: `begins_with_type` stops at the `]` or `)` of
// what is taken out, so the declaration is read as an expression.
__global__ void outer(int *a) {
  int s[2][3] = {1, 2, 3, 4, 5, 6}, u[2][3] = {4, 5, 6, 1, 2, 3}, *w = s[0], n = 1;
  {
    [[maybe_unused]] int (*w)[3] = u, n = 2;
    a[threadIdx.x * w[1][1]] = 1;
    a[threadIdx.x * n + 4096] = 1;
  }
  a[threadIdx.x * w[0] + 8192] = 1;
  a[threadIdx.x * n + 12288] = 1;
}
__global__ void attribute(int *a) {
  int n = 1;
  {
    int u[2][3] = {4, 5, 6, 1, 2, 3};
    __attribute__((unused)) int (*w)[3] = u, n = 2;
    a[threadIdx.x * n + w[0][0] * 8] = 1;
  }
  a[threadIdx.x * n] = 1;
}
__global__ void aligned(float *a) {
  __shared__ float s[32][8];
  alignas(16) float (*w)[8] = s;
  w[threadIdx.x][0] = 1;
  a[threadIdx.x] = w[threadIdx.x][1];
}
int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  outer<<<1, 32>>>(a);
  attribute<<<1, 32>>>(a);
  aligned<<<1, 32>>>((float *)a);
}
