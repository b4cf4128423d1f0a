#include <cuda_runtime.h>
// An object that is called may change itself.
__global__ void rows(float *a, int n) { a[threadIdx.x * n] = 1; }
struct Count {
  int v = 1;
  int operator()() { return ++v; }
};
struct Launch {
  float *p;
  int n = 1;
  void operator()() {
    rows<<<1, 32>>>(p, n);
    n *= 2;
  }
};
static Count global;
static void next() { global(); }
template <class F> static void twice(F &f) {
  f();
  f();
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  Count c;
  c();
  rows<<<1, 32>>>(p, c.v);
  for (int i = 0; i < argc + 2; ++i) {
    rows<<<2, 32>>>(p, c.v);
    c();
  }
  Launch launch{p};
  launch();
  launch();
  auto both = [&] { c(); };
  both();
  rows<<<3, 32>>>(p, c.v);
  next();
  rows<<<4, 32>>>(p, global.v);
  Count d[2];
  d[1]();
  rows<<<5, 32>>>(p, d[1].v);
  Count e;
  twice(e);
  rows<<<6, 32>>>(p, e.v);
  return 0;
}
