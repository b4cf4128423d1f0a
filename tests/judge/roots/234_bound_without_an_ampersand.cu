// Variables of namespaces that something binds a reference to without a `&` in sight.
#include <cuda_runtime.h>
__global__ void r234_bound(float *a, int n) {
  a[threadIdx.x * n] = 1;
}
static int b234a = 32;
struct X234 {
  int &b;
  X234() : b(b234a) {}
};
static void set234a(int v) {
  X234 x;
  x.b = v;
}
static int b234b = 32;
template <int *P> struct Ref234 {
  static void set(int v) { *P = v; }
};
static void set234b(int v) { Ref234<&b234b>::set(v); }
static int b234c = 32;
template <int &P> static void store234(int v) { P = v; }
static void set234c(int v) { store234<b234c>(v); }
static int b234d = 32;
static void set234d(int v) {
  [&b = b234d, v] { b = v; }();
}
static int b234e = 32;
static decltype(auto) ref234e() { return (b234e); }
static void set234e(int v) { ref234e() = v; }
static int b234f = 32;
static void set234f(int v) {
  auto f = []() -> int & { return b234f; };
  f() = v;
}
static int b234g = 32;
using Int234 = int &;
static Int234 ref234g() { return b234g; }
static void set234g(int v) { ref234g() = v; }
static int b234h = 32;
static void def234(int v, int &b = b234h) { b = v; }
static void set234h(int v) { def234(v); }
static int b234i = 32;
static void set234i(int v) {
  struct L {
    int &r;
    L() : r(b234i) {}
  } l;
  l.r = v;
}
static void go234a(float *p) { r234_bound<<<1, b234a>>>(p, b234a / 32); }
static void go234b(float *p) { r234_bound<<<1, b234b>>>(p, b234b / 32); }
static void go234c(float *p) { r234_bound<<<1, b234c>>>(p, b234c / 32); }
static void go234d(float *p) { r234_bound<<<1, b234d>>>(p, b234d / 32); }
static void go234e(float *p) { r234_bound<<<1, b234e>>>(p, b234e / 32); }
static void go234f(float *p) { r234_bound<<<1, b234f>>>(p, b234f / 32); }
static void go234g(float *p) { r234_bound<<<1, b234g>>>(p, b234g / 32); }
static void go234h(float *p) { r234_bound<<<1, b234h>>>(p, b234h / 32); }
static void go234i(float *p) { r234_bound<<<1, b234i>>>(p, b234i / 32); }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  set234a(64);
  go234a(p);
  set234b(64);
  go234b(p);
  set234c(64);
  go234c(p);
  set234d(64);
  go234d(p);
  set234e(64);
  go234e(p);
  set234f(64);
  go234f(p);
  set234g(64);
  go234g(p);
  set234h(64);
  go234h(p);
  set234i(64);
  go234i(p);
  cudaFree(p);
  return 0;
}
