// Whether a variable is const decides what `decltype` of it means as a template argument.
template <class T> struct K { static constexpr int v = 1; };
template <> struct K<int> { static constexpr int v = 2; };
template <> struct K<const int> { static constexpr int v = 3; };
template <> struct K<volatile int> { static constexpr int v = 4; };
template <> struct K<int &> { static constexpr int v = 5; };
template <> struct K<const int &> { static constexpr int v = 6; };
template <> struct K<int &&> { static constexpr int v = 7; };
template <> struct K<int *> { static constexpr int v = 8; };
template <> struct K<const int *> { static constexpr int v = 9; };
template <> struct K<int *const> { static constexpr int v = 10; };
template <> struct K<const int *const> { static constexpr int v = 11; };
template <> struct K<unsigned> { static constexpr int v = 12; };
template <> struct K<const unsigned> { static constexpr int v = 13; };
typedef volatile int vint;
typedef const int cint;
using ci = const int;
template <class T> __device__ int by_value(T x) { return K<decltype(x)>::v; }
template <class T> __device__ int by_ref(T &x) { return K<decltype(x)>::v; }
template <class T> __device__ int by_cref(const T &x) { return K<decltype(x)>::v; }
template <class T> __device__ int by_forward(T &&x) { return K<decltype(x)>::v; }
template <class T> __device__ int exact(int i) { T x = i; return K<decltype(x)>::v; }
__device__ int cparam(const int x) { return K<decltype(x)>::v; }
__device__ int aparam(ci x) { return K<decltype(x)>::v; }
__device__ int pparam(const int *const x) { return K<decltype(x)>::v; }
__device__ int vparam(vint x) { return K<decltype(x)>::v; }
struct M { int a; const int b; mutable int c; __device__ int f() const { return K<decltype(a)>::v * 2 + K<decltype(b)>::v; } };
//@ launch k grid=(1) block=(32) args(a=f32[65536], d=i32[65536], n=?7, m=?3)
__global__ void k(float *a, const int *d, int n, const int m) {
  int t = threadIdx.x;
  int x = n; const int y = n; vint z = n; cint w = n; ci u = n;
  auto p = n; const auto q = n; auto &r = x; const auto &s = x; auto &&f = x; auto &&g = 5;
  int *ip = &x; const int *cp = &x; int *const ipc = &x; const int *const cpc = &x;
  a[t * K<decltype(x)>::v] = 1;
  a[t * K<decltype(y)>::v] = 1;
  a[t * K<decltype(z)>::v] = 1;
  a[t * K<decltype(w)>::v] = 1;
  a[t * K<decltype(u)>::v] = 1;
  a[t * K<decltype(p)>::v] = 1;
  a[t * K<decltype(q)>::v] = 1;
  a[t * K<decltype(r)>::v] = 1;
  a[t * K<decltype(s)>::v] = 1;
  a[t * K<decltype(f)>::v] = 1;
  a[t * K<decltype(g)>::v] = 1;
  a[t * K<decltype(ip)>::v] = 1;
  a[t * K<decltype(cp)>::v] = 1;
  a[t * K<decltype(ipc)>::v] = 1;
  a[t * K<decltype(cpc)>::v] = 1;
  a[t * K<decltype(n)>::v] = 1;
  a[t * K<decltype(m)>::v] = 1;
  a[t * K<decltype(d)>::v] = 1;
  a[t * K<decltype((x))>::v] = 1;
  a[t * K<decltype((y))>::v] = 1;
  a[t * by_value(y)] = 1;
  a[t * by_ref(y)] = 1;
  a[t * by_cref(x)] = 1;
  a[t * by_forward(y)] = 1;
  a[t * by_forward(3)] = 1;
  a[t * exact<int>(3)] = 1;
  a[t * exact<const int>(3)] = 1;
  a[t * exact<volatile int>(3)] = 1;
  a[t * cparam(3)] = 1;
  a[t * aparam(3)] = 1;
  a[t * pparam(d)] = 1;
  a[t * vparam(3)] = 1;
  M o{1, 2, 3};
  a[t * o.f()] = 1;
  const M co{1, 2, 3};
  a[t * co.f()] = 1;
  a[t * K<decltype(o.a)>::v] = 1;
  a[t * K<decltype(co.a)>::v] = 1;
  a[t * K<decltype(co.b)>::v] = 1;
  auto l1 = [x, y](int i) { return K<decltype(x)>::v * 4 + K<decltype(y)>::v; };
  a[t * l1(1)] = 1;
  auto l2 = [&x, &y](const int i) { return K<decltype(x)>::v * 4 + K<decltype(y)>::v + K<decltype(i)>::v; };
  a[t * l2(1)] = 1;
  auto l3 = [c = y](int i) { return K<decltype(c)>::v; };
  a[t * l3(1)] = 1;
  for (const int i : {1, 2}) a[t * K<decltype(i)>::v] = i;
  for (int i = 0; i < 2; ++i) a[t * K<decltype(i)>::v] = i;
  { const unsigned x = n; a[t * K<decltype(x)>::v] = 1; }
  decltype(y) yy = n; a[t * K<decltype(yy)>::v] = 1;
  decltype(x) xx = n; a[t * K<decltype(xx)>::v] = 1;
  constexpr int ce = 4; a[t * K<decltype(ce)>::v] = 1;
  static const int sc = 4; a[t * K<decltype(sc)>::v] = 1;
  int arr[2] = {1, 2}; auto [b0, b1] = arr; a[t * K<decltype(b0)>::v] = 1;
  const auto [b2, b3] = arr; a[t * K<decltype(b2)>::v] = b1 + b3;
  if (const int h = n) a[t * K<decltype(h)>::v] = 1;
}
