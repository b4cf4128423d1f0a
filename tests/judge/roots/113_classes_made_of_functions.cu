// A class that is made of a lambda or a function does with it what it likes: it is not the function.
struct R113 {
  int k;
  template <class F>
  __device__ R113(F f) : k(f(1)) {}
  __device__ int operator()(int x) const { return x * k * 4; }
};
struct R113Explicit {
  int k;
  template <class F>
  __device__ explicit R113Explicit(F f) : k(f(2)) {}
  __device__ int operator()(int x) const { return x * k; }
};
__device__ void r113_taken(R113 w, float *a, int t) { a[w(t)] = 1; }
__device__ void r113_referred(const R113 &w, float *a, int t) { a[w(t)] = 1; }
__device__ R113 r113_made(int k) {
  return [=](int x) { return x + k; };
}
//@ launch r113_converted grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r113_converted(float *a, int n) {
  int t = threadIdx.x;
  auto f = [=](int x) { return x * 2 + 1; };
  r113_taken(f, a, t);
  r113_referred(f, a, t);
  const R113 &v = f;
  a[v(t)] = 1;
  R113 w = f;
  a[w(t)] = 1;
  a[r113_made(2)(t)] = 1;
  a[static_cast<R113>(f)(t)] = 1;
  a[static_cast<R113Explicit>(f)(t)] = 1;
  a[R113(f)(t)] = 1;
}

// Which arguments a template has that none are written for is not known, but it is a class.
template <class F>
struct R113Twice {
  F f;
  __device__ int operator()(int x) const { return f(f(x)); }
};
template <class F>
R113Twice(F) -> R113Twice<F>;
template <class F>
struct R113By {
  F f;
  __device__ R113By(F g) : f(g) {}
  __device__ int operator()(int x) const { return f(x) * 4; }
};
__device__ int r113_double(int x) { return x * 2; }
//@ launch r113_deduced grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r113_deduced(float *a, int n) {
  int t = threadIdx.x;
  auto f = [=](int x) { return x * 2 + 1; };
  R113Twice one{[=](int x) { return x * 2 + 1; }};
  a[one(t)] = 1;
  R113Twice two = {f};
  a[two(t)] = 1;
  R113By three(f);
  a[three(t)] = 1;
  R113By four = f;
  a[four(t)] = 1;
  R113By five(r113_double);
  a[five(t)] = 1;
  a[R113By(f)(t)] = 1;
  decltype(f) same = f;
  a[same(t)] = 1;
  int (*six)(int) = r113_double;
  a[six(t)] = 1;
}
