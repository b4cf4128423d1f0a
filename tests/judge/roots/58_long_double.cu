// On the host, `long double` is twice as long as on the device: its size is not known.
struct Pair {
  char a;
  long double b;
};
__global__ void k(float *a, int n) {
  a[threadIdx.x * n] = 1;
}
__global__ void q(float *a, Pair *p, int n) {
  int t = threadIdx.x;
  a[t * n] = 1;
  a[t] = 2;
}
int main() {
  float *a;
  cudaMalloc(&a, 1 << 20);
  k<<<2, 32>>>(a, sizeof(long double));
  k<<<2, 32>>>(a, sizeof(Pair));
  long double wide[3] = {};
  k<<<2, 32>>>(a, sizeof wide / 8);
  k<<<2, 32>>>(a, alignof(long double));
  Pair *p;
  cudaMalloc(&p, 1 << 20);
  q<<<2, 64>>>(a, p, sizeof(Pair) / 8);
}
