// What an object is made of may be one of its class: where its type is not known, neither is whether it is copied.
#include <functional>
#include <tuple>
struct R148 {
  int n;
  __device__ R148(int x) : n(1) {}
};
struct R148P {
  int x, y;
};
struct R148Q : R148P {
  int z;
};
__device__ int r148_second(R148P p) { return p.y; }
//@ launch r148_classes grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r148_classes(float *a, int n) {
  int t = threadIdx.x;
  R148 d(5);
  d.n = 6;
  std::tuple<R148, int> held(d, 1);
  R148 e(std::get<R148>(held));
  a[t * e.n] = 1;
  R148 f{std::get<R148>(held)};
  a[t * f.n] = 1;
  auto g = R148(std::get<R148>(held));
  a[t * g.n] = 1;
  auto kept = std::ref(d);
  R148 &h = kept;
  R148 i(kept);
  a[t * h.n] = 1;
  a[t * i.n] = 1;
}
//@ launch r148_aggregates grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r148_aggregates(float *a, int n) {
  int t = threadIdx.x;
  std::tuple<R148P, int> held(R148P{2, 3}, 1);
  R148P p{std::get<R148P>(held)};
  a[t * p.y] = 1;
  R148P q = {std::get<R148P>(held)};
  a[t * q.y] = 1;
  R148P r(std::get<R148P>(held));
  a[t * r.y] = 1;
  a[t * r148_second({std::get<R148P>(held)})] = 1;
  R148Q s{{std::get<R148P>(held)}, 4};
  a[t * s.y] = 1;
}
