// A pattern with fewer template arguments than a class has fits it only by defaults.
struct A {
  int v;
};
template <class... T> struct Tp {};
template <int... N> struct Sq {};
template <class T, int N> struct W {
  T t[N];
};
template <class T, int N = 4> struct D {
  T t[N];
};
template <class X> struct Empty {
  static constexpr int v = 2;
};
template <> struct Empty<Tp<>> {
  static constexpr int v = 1;
};
template <class X> struct One {
  static constexpr int v = 3;
};
template <class T> struct One<Tp<T>> {
  static constexpr int v = 1;
};
template <int N> struct One<Sq<N>> {
  static constexpr int v = 2;
};
template <class X> struct Outer {
  static constexpr int v = 2;
};
template <class T, template <class> class Q> struct Outer<Q<T>> {
  static constexpr int v = 1;
};
template <class X> struct Default {
  static constexpr int v = 2;
};
template <class T> struct Default<D<T>> {
  static constexpr int v = 1;
};
template <class X> struct Member {
  static constexpr int v = 2;
};
template <class T> struct Member<T *> {
  static constexpr int v = 1;
};
template <class X> struct Member2 {
  static constexpr int v = 2;
};
template <class T> struct Member2<T A::*> {
  static constexpr int v = 1;
};
template <class T> __device__ int f(Tp<T>) {
  return 1;
}
template <class T> __device__ int f(T) {
  return 2;
}
//@ launch k grid=(1) block=(32) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  a[Empty<Tp<>>::v * t] = 1;
  a[Empty<Tp<int>>::v * t] = 1;
  a[One<Tp<int>>::v * t] = 1;
  a[One<Tp<int, float>>::v * t] = 1;
  a[One<Sq<1, 2>>::v * t] = 1;
  a[Outer<W<char, 3>>::v * t] = 1;
  a[Outer<Tp<char>>::v * t] = 1;
  a[Default<D<float>>::v * t] = 1;
  a[Default<D<float, 4>>::v * t] = 1;
  a[Default<D<float, 3>>::v * t] = 1;
  a[Member<int A::*>::v * t] = 1;
  a[Member2<int *>::v * t] = 1;
  a[f(Tp<int>()) * t] = 1;
  a[f(Tp<int, char>()) * t] = 1;
}
