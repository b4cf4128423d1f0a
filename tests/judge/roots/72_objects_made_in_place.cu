// A class counts its copies: what a call or a constructor gives is no copy, where an object is made of it; what a
// reference gives is one, also where it expires.
//@ launch ct grid=(1) block=(64) args(a=i32[65536], b=i32[65536])
#include <utility>
struct C { int k; __device__ C(int x) : k(x) {} __device__ C(const C &o) : k(o.k + 1) {} };
__device__ C make(int x) { return C(x); }
__device__ C made(int x) { C r{x}; return r; }
struct W { C c; int z; __device__ W(int x) : c{C(x)}, z(1) {} };
struct X { C c; __device__ X(int x) : c(C(x)) {} };
struct Y { C c; int u; };
__global__ void ct(int *a, const int *b) {
  int t = threadIdx.x;
  C j(C(4)), k = C(4), l{make(4)}, m(make(4)), n{std::move(j)}, o = make(4), p{C{C(4)}}, q = {C(4)};
  C r = {make(4)};
  W w(4); X x(4); Y y{C(4), 2}; Y z{make(4)};
  a[t] = b[j.k * t];
  a[t] = b[k.k * t];
  a[t] = b[l.k * t];
  a[t] = b[m.k * t];
  a[t] = b[n.k * t];
  a[t] = b[o.k * t];
  a[t] = b[p.k * t];
  a[t] = b[q.k * t];
  a[t] = b[r.k * t];
  a[t] = b[w.c.k * t];
  a[t] = b[x.c.k * t];
  a[t] = b[y.c.k * t];
  a[t] = b[z.c.k * t];
  a[t] = b[C{C(4)}.k * t];
  a[t] = b[C(C(4)).k * t];
  a[t] = b[C(make(4)).k * t];
}
