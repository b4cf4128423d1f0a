#include <utility>
// What an argument is, beside its type, decides what `T &&` deduces and which overload is meant.
template <class T> struct Kind { static constexpr int v = 1; };
template <class T> struct Kind<T &> { static constexpr int v = 2; };
template <class T> struct Kind<const T> { static constexpr int v = 3; };
template <class T> struct Kind<const T &> { static constexpr int v = 4; };
template <class T> __device__ int kind(T &&) { return Kind<T>::v; }
template <class T> __device__ int passed(T &&x) { return kind(std::forward<T>(x)); }
struct P {
  int x;
  __device__ int get() & { return 2; }
  __device__ int get() const & { return 3; }
  __device__ int get() && { return 4; }
};
__device__ int of(const P &) { return 2; }
__device__ int of(P &&) { return 5; }
__device__ P operator+(const P &a, const P &b) { return {a.x + b.x}; }
__device__ P operator+(P &&a, const P &b) { return {a.x + 3 * b.x}; }
__device__ P make(int n) {
  if (n > 4) return P{2};
  return P{1};
}
__device__ void moved(int &&x) { x += 3; }
constexpr int shared_by_all = 3;
//@ launch r55_deduced grid=(1) block=(32) args(a=f32[65536], n=?6)
__global__ void r55_deduced(float *a, int n) {
  int t = threadIdx.x, x = 1;
  const int c = 2;
  P p{1};
  const P &cp = p;
  a[t * kind(x)] = 1;
  a[t * kind(c)] = 1;
  a[t * kind(shared_by_all)] = 1;
  a[t * kind(std::move(x))] = 1;
  a[t * kind(cp.x)] = 1;
  a[t * kind(make(n).x)] = 1;
  a[t * passed(x)] = 1;
  auto &&v = cp.x;
  a[t * Kind<decltype(v)>::v] = 1;
}
//@ launch r55_chosen grid=(1) block=(32) args(a=f32[65536], n=?6)
__global__ void r55_chosen(float *a, int n) {
  int t = threadIdx.x;
  P p{1};
  const P c{1};
  a[t * of(p)] = 1;
  a[t * of(std::move(p))] = 1;
  a[t * of(make(n))] = 1;
  a[t * of(static_cast<P &&>(p))] = 1;
  a[t * p.get()] = 1;
  a[t * c.get()] = 1;
  a[t * std::move(p).get()] = 1;
  a[t * make(n).get()] = 1;
  a[t * (p + c).x] = 1;
  a[t * (P{1} + c).x] = 1;
  int x = 1;
  moved(std::move(x));
  a[t * x] = 1;
}
