// Names in templates: friends, conditions, what is declared later and what arguments bring in.
#include <type_traits>
namespace m { template <class T> struct C { T re, im; typedef T value; static constexpr int dims = 2; enum { tag = 3 };
  friend __device__ C operator*(C a, C b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  friend __device__ C operator*(C a, value k) { return {a.re * k, a.im * k}; }
  friend __device__ value norm(const C &c) { value s = c.re * c.re; s += c.im * c.im; return s + dims - 2; }
  friend __device__ int tagged(C c) { return tag + helper(c); }
  static __device__ int helper(C c) { return c.re; } };
template <class T> __device__ T real(C<T> c) { return c.re; }
struct D : C<int> { __device__ D(int r) : C<int>{r, 1} {} }; }
template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0> __device__ int ei(T) { return 2; }
template <class T, std::enable_if_t<!std::is_integral_v<T>, int> = 0> __device__ int ei(T) { return 4; }
template <class T> __device__ auto ej(T) -> std::enable_if_t<sizeof(T) == 4, int> { return 3; }
template <class T> __device__ auto ej(T) -> std::enable_if_t<sizeof(T) != 4, int> { return 5; }
struct Vec { int v; }; __device__ int len(const Vec &v) { return v.v; } template <class T> __device__ int tl(const T &t) { return len(t); }
struct Vec2 { int v; }; __device__ int len(const Vec2 &v) { return v.v * 2; }
template <class T> __device__ int tl2(const T &t);
template <class T> __device__ int user(const T &t) { return tl2(t) + 1; }
template <class T> __device__ int tl2(const T &t) { return len(t); }
__device__ int fwd(int x); __device__ int fwd(float x); __device__ int ufwd() { return fwd(1) + fwd(1.f); } __device__ int fwd(float) { return 4; } __device__ int fwd(int) { return 2; }
struct O { __device__ int a(int k) { return b(k) + 1; } __device__ int b(int k) { return c(k * 1.0); } __device__ int c(double) { return 2; } __device__ int c(int) { return 8; } };
__device__ int vf(float4) { return 3; } template <class T> __device__ int tv(T v) { return vf(v); } __device__ int vf(int2) { return 5; }
#define CALL(x) mac(x)
__device__ int mac(double) { return 3; } __device__ int um() { return CALL(1); } __device__ int mac(int) { return 6; }
template <int N> __device__ int rec() { if constexpr (N == 0) return 1; else return rec<N - 1>() + 1; }
//@ launch k grid=(2) block=(64) args(a=f32[65536], n=?3)
__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  m::C<int> p{1, 2}, q{3, 1}; a[t * (p * q).im] = 1; a[t * (p * 3).re] = 1; a[t * norm(p)] = 1; a[t * tagged(p)] = 1; a[t * real(q)] = 1;
  m::D d(2); a[t * norm(d)] = 1; a[t * (d * d).re] = 1; m::C<float> f{1.f, 2.f}; f = f * f; a[t] = f.re;
  a[t * ei(1)] = 1; a[t * ei(1.f)] = 1; a[t * ej(1)] = 1; a[t * ej('a')] = 1;
  a[t * tl(Vec{2})] = 1; a[t * tl(Vec2{2})] = 1; a[t * user(Vec2{2})] = 1;
  a[t * ufwd()] = 1; a[t * O().a(1)] = 1; a[t * tv(make_float4(1, 2, 3, 4))] = 1;
  a[t * um()] = 1; a[t * mac(1)] = 1; a[t * rec<4>()] = 1;
}
