// Explicit constructors take no part where nobody wrote their class.
struct A { int v; __device__ explicit A(int x) : v(x) {} };
__device__ int f(A a, int t) { return t * 4; }
__device__ int f(long a, int t) { return t * 2; }
//@ launch r52_explicit_1 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_explicit_1(float *a) {
  int t = threadIdx.x;
  a[f(3, t)] = 1;
}
struct B { int v; __device__ B(int x) : v(x) {} };
__device__ int g(B b, int t) { return b.v * t * 4; }
__device__ int g(float *a, int t) { return t * 2; }
//@ launch r52_explicit_2 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_explicit_2(float *a) {
  int t = threadIdx.x;
  a[g(3, t)] = 1;
}
struct C { int v; __device__ explicit C(int x) : v(x) {} __device__ C(long x) : v(x * 2) {} };
__device__ C made(int x) { return x; }
__device__ int taken(C c, int t) { return t * c.v; }
//@ launch r52_explicit_3 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_explicit_3(float *a) {
  int t = threadIdx.x;
  C c = 2;
  a[t * c.v] = 1;
  C d(2);
  a[t * d.v] = 1;
  C e{2};
  a[t * e.v] = 1;
  C m = made(2);
  a[t * m.v] = 1;
  a[taken(2, t)] = 1;
  C p = C(2);
  a[t * p.v] = 1;
  C q = (C)2;
  a[t * q.v] = 1;
  C r = static_cast<C>(2);
  a[t * r.v] = 1;
}
struct D { int v; C c; __device__ D(int x) : v(x), c(x) {} };
struct E { C c = 2; C d{2}; };
//@ launch r52_explicit_4 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_explicit_4(float *a) {
  int t = threadIdx.x;
  D d(2);
  a[t * d.c.v] = 1;
  E e;
  a[t * e.c.v] = 1;
  a[t * e.d.v] = 1;
  C l[2] = {1, 2};
  a[t * l[1].v] = 1;
}
