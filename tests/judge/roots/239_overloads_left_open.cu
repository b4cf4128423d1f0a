// Overloads of which one takes part only by what is not worked out: the other is not meant for that.
#include <type_traits>
#include <utility>
template <int N> struct Rank239 : Rank239<N - 1> {};
template <> struct Rank239<0> {};
template <class X> __device__ int tag239(Rank239<1>, X *) { return 5; }
__device__ int tag239(Rank239<0>, ...) { return 7; }
struct Call239 {
  __device__ int operator()(int x) const { return x; }
};
template <class F, class = decltype(std::declval<F>()(1))> __device__ int called239(int) { return 2; }
template <class F> __device__ int called239(...) { return 3; }
template <int I> struct Int239 {};
template <class... T> struct List239 {};
template <int... I> __device__ int sum239(List239<Int239<I>...>) { return (I + ...); }
template <class... T> __device__ int sum239(List239<T...>) { return 5; }
struct Two239 {
  int v[2];
};
__device__ int of239(int (&)[2]) { return 3; }
template <int N> __device__ int of239(const int (&)[N]) { return 5; }
__device__ int in239(const Two239 &s) { return of239(s.v); }
template <class X> __device__ int by239(X) { return 2; }
template <class X> __device__ int by239(const X *) { return 3; }
__global__ void r239_tags(int *a) {
  int t = threadIdx.x, x = t;
  a[t * tag239(Rank239<2>{}, &x)] = 1;
  a[t * called239<Call239>(0)] = 2;
  a[t * sum239(List239<Int239<1>, Int239<2>>{})] = 3;
}
__global__ void r239_arrays(int *a) {
  int t = threadIdx.x, m[2][2] = {};
  Two239 s{};
  a[t * in239(s)] = 1;
  a[t * by239(m)] = 2;
}
