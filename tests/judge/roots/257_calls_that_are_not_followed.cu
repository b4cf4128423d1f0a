// Whoever may be called counts: a method by an object of unknown type, a functor that somebody gets, every element of a
// pack, and an argument that is an assignment.
#include <algorithm>
#include <cuda_runtime.h>
#include <vector>
__global__ void r257(float *a, int n, int m) { a[threadIdx.x * n + m] = 1; }
struct Runner257 {
  int t;
  void run(float *p, int n) const { r257<<<1, t>>>(p, n, 0); }
};
struct Functor257 {
  float *p;
  void operator()(int n) const { r257<<<1, 64>>>(p, n, 1); }
};
static void go257(float *p, int v) { r257<<<1, 64>>>(p, v, 2); }
static void one257(float *p, int v) { r257<<<1, 64>>>(p, v, 3); }
static int kept257() {
  thread_local int c = 32;
  c += 32;
  return c;
}
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  Runner257 z{64};
  z.run(p, 1);
  std::vector<Runner257> all{z};
  all[0].run(p, 9);
  Functor257 f{p};
  f(1);
  std::vector<int> v{8, 9};
  std::for_each(v.begin(), v.end(), f);
  int n = 3;
  go257(p, n += 2);
  one257(p, 1);
  auto each = [&](auto... y) { (one257(p, y), ...); };
  each(9, 10);
  int b = kept257(), again = kept257();
  r257<<<1, b>>>(p, again, 4);
  cudaFree(p);
  return 0;
}
