// The same in the head of a `for` or an `if`, and with a reference to an array or a pointer in brackets.
struct S { int v; };
__global__ void head(float *a) {
  __shared__ int s[2][32];
  int t = threadIdx.x, k = 1;
  for (int (*q)[32] = s, k = 0; k < 2; k++, q++)
    (*q)[t] = k;
  a[t * k] = s[1][t];
}
__global__ void branch(float *a) {
  __shared__ int s[2][32];
  int t = threadIdx.x, k = 1;
  if (int (*q)[32] = s, k = 5; k > 1)
    (*q)[t] = k;
  a[t * k] = s[0][t];
}
__global__ void reference(float *a) {
  int t = threadIdx.x, k = 1, r[2] = {5, 6};
  {
    int (&q)[2] = r, k = 3;
    q[0] = k;
  }
  a[t * k] = r[0];
}
__global__ void object(float *a) {
  int t = threadIdx.x;
  S k = {1}, z = {1};
  {
    S (*q) = &z, k = {3};
    q->v = k.v;
  }
  a[t * k.v] = z.v;
}
int main() {
  float *a;
  cudaMalloc(&a, 1 << 20);
  head<<<1, 32>>>(a);
  branch<<<1, 32>>>(a);
  reference<<<1, 32>>>(a);
  object<<<1, 32>>>(a);
}
