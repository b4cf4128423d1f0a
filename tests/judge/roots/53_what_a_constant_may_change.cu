// A mutable member of a constant, sizes of arrays by new, memory that new is given.
__global__ void r53_what_a_constant_may_change(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
#include <new>
struct Q {
  mutable int k = 3;
  int get() const { return ++k; }
};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 2, m = 1;
  const Q q{};
  q.get();
  float *made = new float[n *= 2];
  int *r = new (&m) int(5);
  *r += 1;
  r53_what_a_constant_may_change<<<1, 32>>>(p, q.k, n);
  r53_what_a_constant_may_change<<<1, 32>>>(new (p + 3) float, m, 0);
  delete[] made;
}
