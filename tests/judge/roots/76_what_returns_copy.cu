// A copy constructor may take more, by default; what a function returns that is no new object is copied, too: a
// parameter is moved out, a member or what a reference names is copied. A variable may be made where the result is
// wanted or be moved there, as the compiler likes.
//@ launch ct grid=(1) block=(64) args(a=i32[65536], b=i32[65536], n=?1)
#include <utility>
struct D { int k; __device__ D(int x) : k(x + 1) {} __device__ D(const D &o, int = 0) : k(o.k + 2) {} };
struct Held { D d; int u; };
struct C {
  int k;
  __device__ C(int x) : k(x + 1) {}
  __device__ C(const C &o) : k(o.k + 2) {}
  __device__ C(C &&o) : k(o.k + 4) { o.k = 1; }
};
__device__ C pass(C x) { return x; }
__device__ C moved(C x) { return std::move(x); }
__device__ C either(C x, int n) { if (n > 2) return x; return C(1); }
__device__ C of(C &x) { return static_cast<C &>(x); }
__device__ auto deduced(C x) { return x; }
struct H {
  C c;
  __device__ C get() { return c; }
  __device__ C &ref() { return c; }
};
__global__ void ct(int *a, const int *b, int n) {
  int t = threadIdx.x;
  Held h{D(1), 2};
  Held g = h;
  a[t] = b[g.d.k * t];
  C j(1);
  a[t] = b[pass(j).k * t];
  auto &&x = pass(j);
  a[t] = b[x.k * t];
  const C &y = pass(C(2));
  a[t] = b[y.k * t];
  a[t] = b[moved(j).k * t];
  a[t] = b[either(j, 3).k * t];
  a[t] = b[of(j).k * t];
  a[t] = b[deduced(j).k * t];
  H o{C(1)};
  a[t] = b[o.get().k * t];
  C z = o.ref();
  a[t] = b[z.k * t];
  auto by_value = [](C x) { return x; };
  a[t] = b[by_value(j).k * t];
  auto captured = [&] { return j; };
  a[t] = b[captured().k * t];
}
