// Host code: a local declared behind a pointer to a row is taken for an assignment to the outer variable of its name.
__global__ void k0(float *a, int n) {
  a[threadIdx.x * n] = 1;
}
__global__ void k1(float *a, int n) {
  a[threadIdx.x * n] = 1;
}
__global__ void k2(float *a, int n) {
  a[threadIdx.x * n] = 1;
}
int tab[2][4];
int main() {
  float *a;
  cudaMalloc(&a, 1 << 20);
  int n = 1;
  {
    int (*row)[4] = tab, n = 2;
    row[0][0] = 1;
    k0<<<1, 32>>>(a, n);
  }
  k1<<<1, 32>>>(a, n);
  for (int (*row)[4] = tab, n = 4; row < tab + 2; row++)
    (*row)[0] = n;
  k2<<<1, 32>>>(a, n);
}
