// References that containers, parameters by value and names of types hold.
__global__ void r40_references_in_objects(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
#include <functional>
#include <utility>
#include <vector>
struct R40Holder {
  int &r;
  R40Holder(int &x) : r(x) {}
};
static void r40_hold(R40Holder h) { h.r = 64; }
typedef int &r40_reference;
static void r40_named(r40_reference x) { x = 96; }
template <class T> static void r40_any(T x) { x = 128; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int b = 32, c = 32, d = 32, e = 32, f = 32;
  std::vector<std::reference_wrapper<int>> all{b};
  all[0].get() = 160;
  r40_references_in_objects<<<1, b>>>(p, 1, 0);
  r40_hold(c);
  r40_references_in_objects<<<1, c>>>(p, 1, 1);
  r40_named(d);
  r40_references_in_objects<<<1, d>>>(p, 1, 2);
  r40_any<int &>(e);
  r40_references_in_objects<<<1, e>>>(p, 1, 3);
  std::pair<std::reference_wrapper<int>, int> pair{f, 3};
  pair.first.get() = 192;
  r40_references_in_objects<<<1, f>>>(p, 1, 4);
}
