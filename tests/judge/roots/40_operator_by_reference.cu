// An overloaded operator writes its operand.
__global__ void r40_operator_by_reference(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct S { int v; };
static S &operator<<(S &s, int &x) {
  s.v += x;
  x = 1;
  return s;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  S s{3};
  s << n;
  m = s.v;
  r40_operator_by_reference<<<2, 32>>>(p, n, m);
}
