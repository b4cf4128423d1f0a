// An object that holds a reference is bound again by an assignment of a number.
#include <functional>
__global__ void k(float *a, int n) { a[threadIdx.x * n] = 1; }
static void last(float *p) {
  int n = 1, m = 1;
  std::reference_wrapper<int> r = n;
  r = m;
  r.get() = 8;
  k<<<1, 32>>>(p, m);
}
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 1;
  std::reference_wrapper<int> r = n;
  r = m;
  r += 3;
  k<<<1, 32>>>(p, m);
  last(p);
}
