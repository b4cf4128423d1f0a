// What a class takes over by `using` overrides nothing, nor does a function of other parameters; qualified operators are no
// virtual calls; results by value have their own class; enumerations lead to their namespaces, directives of an argument's
// namespace take no part, nearer operators hide those farther out, members and free operators are one set.
struct P1 { __device__ virtual int f() { return 2; } };
struct P2 { __device__ virtual int f() { return 3; } };
struct PQ : P1, P2 { using P2::f; };
struct A0 {
  __device__ virtual int f(int) { return 2; }
  __device__ virtual int c() const { return 2; }
};
struct B0 : A0 {
  __device__ int f(long) { return 3; }
  __device__ int c() { return 3; }
};
struct C0 : B0 {
  __device__ int f(long) { return 4; }
  __device__ int c() { return 4; }
};
struct Op { __device__ virtual int operator()(int i) { return i * 2; } };
struct Od : Op {
  __device__ int operator()(int i) override { return Op::operator()(i) + this->Op::operator()(i) + 1; }
};
struct X { __device__ virtual int f() { return 2; } };
struct Y : X { __device__ int f() override { return 4; } };
__device__ X cut(X &x) { return x; }
namespace lead {
enum E { e1 = 3 };
__device__ int en(E) { return 6; }
}
__device__ int en(int) { return 2; }
namespace helpers { template <class T> __device__ int pk(T) { return 6; } }
namespace dir {
using namespace helpers;
struct W { int x; };
}
struct FromW { __device__ FromW(dir::W) {} };
__device__ int pk(FromW) { return 2; }
struct V { __device__ int operator+(long) { return 3; } };
__device__ int operator+(V, int) { return 5; }
__device__ int operator*(dir::W, int) { return 2; }
namespace app {
__device__ int operator*(dir::W, long) { return 4; }
__device__ int go(dir::W w) { return w * 1; }
}
namespace lib {
struct M { int x; };
namespace ops { __device__ int operator+(M, int) { return 3; } }
__device__ int operator+(M, long) { return 5; }
}
//@ launch k grid=(2) block=(64) args(a=f32[65536], n=?5)
__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  PQ q;
  P1 &u = q;
  a[t * u.f()] = 1;
  C0 c;
  B0 &b = c;
  a[t * b.f(1l)] = 1;
  a[t * b.c()] = 1;
  Od d;
  Op &o = d;
  a[o(t)] = 1;
  Y y;
  a[t * cut(y).f()] = 1;
  a[t * en(lead::e1)] = 1;
  dir::W w{1};
  a[t * pk(w)] = 1;
  V v;
  a[t * (v + 1)] = 1;
  a[t * app::go(w)] = 1;
  using lib::ops::operator+;
  a[t * (lib::M() + 1)] = 1;
}
