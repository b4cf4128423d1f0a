// A method called by its plain name may write the object around it, also where which of several is meant is not known.
//@ launch k grid=(2) block=(64) args(a=i32[65536], b=i32[65536], n=?7)
#include <type_traits>
struct S {
  int k = 2;
  template <class T, std::enable_if_t<!std::is_class<T>::value && (sizeof(T) > 2), int> = 0> __device__ void g(T x) { k = 8; }
  template <class T, std::enable_if_t<std::is_class<T>::value, int> = 0> __device__ void g(T x) { k = 5; }
  template <class T, std::enable_if_t<std::is_floating_point<decltype(T() + 1)>::value, int> = 0> __device__ int h(T &x) { return 1; }
  template <class T, std::enable_if_t<std::is_integral<decltype(T() + 1)>::value, int> = 0> __device__ int h(T &x) { x *= 2; return 3; }
  template <class T = int, std::enable_if_t<(std::is_class<T>::value == false && sizeof(T) == 4), int> = 0> __device__ void z() { k = 8; }
  template <class T = int, std::enable_if_t<std::is_class<T>::value, int> = 0> __device__ void z() { k = 5; }
  __device__ virtual void v(int t) { k = 3; }
  __device__ int run(int t) { g(t); return k * t; }
  __device__ int written(int t) { h(t); return t; }
  __device__ int silent(int t) { z(); return k * t; }
  __device__ int over(int t) { v(t); return k * t; }
};
struct D : S { __device__ void v(int t) override { k = 16; } };
__device__ int through(S &s, int t) { s.v(t); return s.k * t; }
__device__ int pointed(S *s, int t) { return s->over(t); }
__global__ void k(int *a, const int *b, int n) {
  int t = threadIdx.x;
  { S s; a[t] = b[s.run(t)]; a[t] = b[t * 2]; }
  { S s; a[t] = b[s.written(t)]; }
  { S s; a[t] = b[s.silent(t)]; }
  { D s; a[t] = b[s.over(t)]; }
  { D s; a[t] = b[through(s, t)]; a[t] = b[t * 3]; }
  { D s; a[t] = b[pointed(&s, t)]; }
  { S q; D s; S *p = n > 3 ? &q : &s; a[t] = b[pointed(p, t)]; a[t] = b[p->k * t]; a[t] = b[t * 4]; }
}
