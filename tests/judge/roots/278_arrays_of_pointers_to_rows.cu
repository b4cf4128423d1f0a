// `int (*m[2])[3] = {&u, &v}, n = 5;` is read as an expression: more than a name stands in the parentheses.
typedef int row[3];
__global__ void array(int *a) {
  int s[3] = {1, 2, 3}, u[3] = {4, 5, 6}, n = 3;
  row *m[2] = {&s, &s};
  {
    int (*m[2])[3] = {&u, &u}, n = 5;
    a[threadIdx.x * (*m[1])[1]] = 1;
    a[threadIdx.x * n + 4096] = 1;
  }
  a[threadIdx.x * (*m[1])[1] + 8192] = 1;
  a[threadIdx.x * n + 12288] = 1;
}
__global__ void without_size(int *a) {
  int s[3] = {1, 2, 3}, u[3] = {4, 5, 6};
  row *m[2] = {&s, &s};
  {
    int (*m[])[3] = {&u, &u};
    a[threadIdx.x * (*m[1])[1]] = 1;
  }
  a[threadIdx.x * (*m[1])[1] + 8192] = 1;
}
__global__ void pointer_to_pointer(int *a) {
  int s[3] = {1, 2, 3}, n = 3;
  row *w = &s;
  {
    int (*(*m))[3] = &w, n = 5;
    a[threadIdx.x * n] = (*m)[0][0];
  }
  a[threadIdx.x * n + 4096] = 1;
}
__global__ void buffers(float *a) {
  __shared__ float x[8][8], y[8][8];
  float (*both[2])[8] = {x, y};
  for (int i = 0; i < 2; i++) {
    both[i][threadIdx.x % 8][threadIdx.x / 8] = i;
    __syncthreads();
    a[threadIdx.x + 32 * i] = both[i][0][threadIdx.x % 8];
  }
}
int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  array<<<1, 32>>>(a);
  without_size<<<1, 32>>>(a);
  pointer_to_pointer<<<1, 32>>>(a);
  buffers<<<1, 32>>>((float *)a);
}
