// An initialiser names a base by all of its name: with template arguments and namespace it is another class than one
// that is called alike, and than the class itself, to which a constructor would delegate.
//@ launch k grid=(2) block=(64) args(a=i32[65536], b=i32[65536], n=?7)
//@ launch deep grid=(2) block=(64) args(a=i32[65536], b=i32[65536], n=?7)
template <int N> struct W { int v; __device__ W(int x) : v(x * N) {} };
struct C : W<1>, W<2> { int k; __device__ C(int x) : W<1>(x), W<2>(x * 4), k(3) {} };
template <int N> struct A : A<N - 1> { int k = 1; __device__ A() {} __device__ A(int x) : A<N - 1>(x, 3), k(5) {} __device__ A(int x, int y) { k = y; } };
template <> struct A<0> { int z = 4; __device__ A() {} __device__ A(int x, int y) : z(x + y) {} };
namespace n1 { struct Q { int q; __device__ Q(int x, int y) : q(x * y) {} }; }
struct Q : n1::Q { int r = 2; __device__ Q(int x) : n1::Q(x, 8), r(6) {} __device__ Q(int x, int y) : n1::Q(x, y) { r = y; } };
struct Dg { int a, b; __device__ Dg(int x) : Dg(x, 7) { b += 1; } __device__ Dg(int x, int y) : a(x), b(y) {} };
template <class T> struct Dt { int a, b; __device__ Dt(int x) : Dt<T>(x, 7) { b += 1; } __device__ Dt(int x, int y) : a(x), b(y) {} };
__global__ void k(int *a, const int *b, int n) {
  int t = threadIdx.x;
  C c(t); a[t] = b[static_cast<W<1> &>(c).v]; a[t] = b[static_cast<W<2> &>(c).v]; a[t] = b[c.k * t];
  A<1> x(t); a[t] = b[x.k * t]; a[t] = b[x.z];
  Q q(t); a[t] = b[q.r * t]; a[t] = b[q.q];
  Dg d(t); a[t] = b[d.b * t];
  Dt<int> e(t); a[t] = b[e.b * t];
  a[t] = b[t * 2];
}
template <int N> struct AA : AA<N - 1> {
  int k;
  __device__ AA(int x) : AA<N - 1>(x, 3), k(5) {}
  __device__ AA(int x, int y) : AA<N - 1>(x + 1, y), k(y * 2) {}
};
template <> struct AA<0> { int z; __device__ AA(int x, int y) : z(x + y) {} };
namespace n3 { template <class T> struct B { int q; __device__ B(int x) : q(x * 2) {} __device__ B(int x, int y) : q(x) {} }; }
template <class T> struct B : n3::B<T> { int r; __device__ B(int x) : n3::B<T>(x, 1), r(7) {} __device__ B(int x, int y) : n3::B<T>(x), r(9) {} };
template <class... T> struct Tup { static constexpr int n = 0; };
template <class H, class... T> struct Tup<H, T...> : Tup<T...> { H h; __device__ Tup(H x, T... r) : Tup<T...>(r...), h(x) {} };
template <> struct Tup<> { };
__global__ void deep(int *a, const int *b, int n) {
  int t = threadIdx.x;
  AA<1> x(t); a[t] = b[x.k * t]; a[t] = b[x.z];
  AA<2> y(t); a[t] = b[y.k * t]; a[t] = b[y.z]; a[t] = b[static_cast<AA<1> &>(y).k * t];
  B<int> w(t); a[t] = b[w.r * t]; a[t] = b[w.q];
  Tup<int, short> u(t, 3); a[t] = b[u.h * 2]; a[t] = b[static_cast<Tup<short> &>(u).h * t];
}
