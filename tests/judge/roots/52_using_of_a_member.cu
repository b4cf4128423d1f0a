// `using Base::f;` brings the functions of a base beside a class's own ones.
struct Base {
  int k = 3;
  __device__ int f(int) { return k; }
  __device__ int g(int) { return 2; }
};
template <class B> struct Mixed : B {
  using B::f;
  __device__ int f(float) { return 5; }
};
struct Plain : Base {
  using Base::f;
  __device__ int f(float) { return 5; }
};
template <class T> struct Dependent {
  int v = 4;
  __device__ int f(T) { return 3; }
};
template <class T> struct Derived : Dependent<T> {
  using Dependent<T>::f;
  using Dependent<T>::v;
  __device__ int f(float) { return 5; }
  __device__ int q() { return v + f(T()); }
};
template <class T> struct ByAlias : Dependent<T> {
  using Parent = Dependent<T>;
  using Parent::f;
  __device__ int f(float) { return 5; }
};
struct First {
  __device__ int f(int) { return 2; }
};
struct Second {
  __device__ int f(float) { return 6; }
};
template <class... B> struct Many : B... {
  using B::f...;
};
struct Both : First, Second {
  using First::f;
  using Second::f;
};
struct Same : Base {
  using Base::f;
  __device__ int f(int) { return 9; }
};
struct Hides : Base {
  __device__ int f(double) { return 7; }
};
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  Mixed<Base> m;
  a[t * m.f(1)] = 1;
  a[t * m.f(1.f)] = 1;
  Plain n;
  a[t * n.f(1)] = 1;
  a[t * n.f(1.f)] = 1;
  Derived<int> d;
  a[t * d.f(1)] = 1;
  a[t * d.q()] = 1;
  ByAlias<int> u;
  a[t * u.f(1)] = 1;
  a[t * u.f(1.f)] = 1;
  Many<First, Second> mm;
  a[t * mm.f(1)] = 1;
  a[t * mm.f(1.f)] = 1;
  Both w;
  a[t * w.f(1)] = 1;
  a[t * w.f(1.f)] = 1;
  Same s;
  a[t * s.f(1)] = 1;
  Hides h;
  a[t * h.f(1)] = 1;
}
