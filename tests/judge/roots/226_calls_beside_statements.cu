// Functions run where no statement calls them: initialisers of members, default arguments, functions as template
// arguments, initialisers in brackets, lambdas that own what they are given with others.
#include <cuda_runtime.h>
#include <functional>
#include <memory>
__global__ void k(float *a, int n) { a[threadIdx.x * n] = 1; }
static float *p;
static int run(int threads) {
  k<<<1, threads>>>(p, threads / 32);
  return threads;
}
struct ByList {
  int done;
  ByList(int threads) : done(run(threads)) {}
};
struct ByDefault {
  int done = run(96);
};
static int later(int done = run(64)) { return done; }
template <int (*F)(int)> static int call(int threads) { return F(threads); }
static auto launch = [](int threads) { return run(threads); };
int main() {
  cudaMalloc(&p, 1 << 16);
  ByList a(64);
  ByDefault b;
  later();
  call<run>(128);
  launch(32);
  int z = 0;
  std::shared_ptr<int> s(&z, [](int *) { run(160); });
  auto f = [done = run(192)] { return done; };
  std::function<void(int)> halve = [&](int n) {
    k<<<1, n>>>(p, n / 32);
    if (n > 32) halve(n / 2);
  };
  halve(128);
  return f() - f() + a.done - a.done + b.done - b.done;
}
