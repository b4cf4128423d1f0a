#include <cuda_runtime.h>
#include <functional>
#include <vector>
// A function may keep the lambda that it calls, and somebody else calls it with other arguments.
__global__ void rows(float *a, int n) { a[threadIdx.x * n] = 1; }
static std::vector<std::function<void(int)>> jobs;
static std::function<void(int)> one;
template <class F> static void now_and_later(F f) {
  f(1);
  jobs.push_back(f);
}
template <class G> static void twice(G g) {
  g(2);
  one = g;
}
template <class H> static void only_calls(int n, H h) {
  if (n > 1)
    h(4);
  else
    h(8);
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  auto first = [&](int n) { rows<<<1, 32>>>(p, n); };
  now_and_later(first);
  auto second = [&](int n) { rows<<<1, 32>>>(p, n + 1); };
  twice(second);
  twice([&](int n) { rows<<<2, 32>>>(p, n); });
  now_and_later([&](int n) { rows<<<3, 32>>>(p, n); });
  only_calls(argc, [&](int n) { rows<<<4, 32>>>(p, n); });
  for (auto &job : jobs)
    job(5);
  one(6);
  return 0;
}
