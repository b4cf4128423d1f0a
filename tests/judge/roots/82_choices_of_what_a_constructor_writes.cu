// A choice of numbers is two places where an object is made of it by a constructor that writes.
struct M {
  int f, h;
  M() = default;
  __device__ M(int &o) {
    f = o;
    h = 1;
    o = 7;
  }
  __device__ int operator+(M o) const { return f + o.f; }
};
struct T {
  int f;
  template <class U> __device__ T(U &&u) : f(u) { u = 7; }
};
struct W { M m; int i; };
struct Y { M m; __device__ Y(int &a, int &b, int n) : m(n > 2 ? a : b) {} };
__device__ inline int take(M o) { return o.f; }
__device__ inline int take_const(const M &o) { return o.f; }
__device__ inline int any(T o) { return o.f; }
template <class... A> __device__ inline int all(int n, A... m) { return n; }
template <class... A> __device__ inline int pick(int n, M a, A... m) { return n; }
__device__ inline M make(int &x, int &y, int n) { return n > 2 ? x : y; }
//@ launch r82_0 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_0(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  int q = take(n > 2 ? x : y);
  a[x + t * 8] = q;
}
//@ launch r82_1 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_1(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  int q = take_const(n > 2 ? x : y);
  a[x + t * 8] = q;
}
//@ launch r82_2 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_2(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  int q = any(n > 2 ? x : y);
  a[x + t * 8] = q;
}
//@ launch r82_3 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_3(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  M m = n > 2 ? x : y; int q = m.f;
  a[x + t * 8] = q;
}
//@ launch r82_4 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_4(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  M m(n > 2 ? x : y); int q = m.f;
  a[x + t * 8] = q;
}
//@ launch r82_5 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_5(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  M m{n > 2 ? x : y}; int q = m.f;
  a[x + t * 8] = q;
}
//@ launch r82_6 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_6(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  M m; m = n > 2 ? x : y; int q = m.f;
  a[x + t * 8] = q;
}
//@ launch r82_7 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_7(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  int q = pick(n, (n > 2 ? x : y), 3);
  a[x + t * 8] = q;
}
//@ launch r82_8 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_8(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  int q = make(x, y, n).f;
  a[x + t * 8] = q;
}
//@ launch r82_9 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_9(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  W w{n > 2 ? x : y, 3}; int q = w.m.f;
  a[x + t * 8] = q;
}
//@ launch r82_10 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_10(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  Y w(x, y, n); int q = w.m.f;
  a[x + t * 8] = q;
}
//@ launch r82_11 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_11(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  auto l = [&]() -> M { return n > 2 ? x : y; }; int q = l().f;
  a[x + t * 8] = q;
}
//@ launch r82_12 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_12(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  M m[2] = {n > 2 ? x : y, x}; int q = m[0].f;
  a[x + t * 8] = q;
}
//@ launch r82_13 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_13(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  int q = take((t, n > 2 ? x : y));
  a[x + t * 8] = q;
}
//@ launch r82_14 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_14(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  int z = 3; M m(z); int q = m + (n > 2 ? x : y);
  a[x + t * 8] = q;
}
//@ launch r82_15 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_15(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  int q = static_cast<M>(n > 2 ? x : y).f;
  a[x + t * 8] = q;
}
//@ launch r82_16 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_16(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  int q = (M(n > 2 ? x : y)).f;
  a[x + t * 8] = q;
}
//@ launch r82_17 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_17(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  auto l = [](M o) { return o.f; }; int q = l(n > 2 ? x : y);
  a[x + t * 8] = q;
}
//@ launch r82_19 grid=(2) block=(32) args(a=i16[4096], n=?1)
__global__ void r82_19(short *a, int n) {
  int t = threadIdx.x;
  int x = 31, y = 2;
  int q = take(n > 2 ? (n > 4 ? x : y) : y);
  a[x + t * 8] = q;
}
