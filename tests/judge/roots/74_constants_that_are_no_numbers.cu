// Constexpr objects, their methods and the functions that they hold: constant expressions see them, and a pointer to a
// function that a constant is means that function, with the template arguments of its own place.
//@ launch k grid=(2) block=(64) args(a=i32[65536], b=i32[65536], n=?7)
//@ launch shadows grid=(2) block=(64) args(a=i32[65536], b=i32[65536], n=?7)
typedef int (*dot_t)(int t, int k);
template <int T, int J> __device__ int dot_a(int t, int k) { return t * J + k; }
template <int T, int J> __device__ int dot_b(int t, int k) { return t * T * J + k; }
namespace far { template <int T, int J> __device__ int dot_a(int t, int k) { return t + J * 5; } }
struct Funcs { int v; dot_t d; constexpr __host__ __device__ Funcs(int v, dot_t d) : v(v), d(d) {} };
struct Cfg {
  int x, y;
  constexpr __host__ __device__ Cfg(int x, int y) : x(x), y(y) {}
  constexpr __host__ __device__ bool big() const { return x > 3; }
  constexpr __host__ __device__ int rows(int k = 2) const { int y = x * k; for (int i = 0; i < 3; i++) y += this->y; return y; }
  constexpr __host__ __device__ int cols(int x) const { return x + y; }
};
constexpr __host__ __device__ Cfg get_cfg(int t) { switch (t) { case 1: return Cfg(2, 3); default: return Cfg(5, 1); } }
template <int T, int J> constexpr __device__ Funcs get_funcs() {
  if (!get_cfg(T).big()) {
    switch (T) { case 1: return Funcs(7, dot_a<T, J>); default: return Funcs(1, nullptr); }
  }
  switch (T) { case 2: return Funcs(8, dot_b<T, J>); default: return Funcs(6, far::dot_a<T, J>); }
}
template <int N> struct V { static constexpr int v = N; };
template <int T, int J> __device__ int use(const int *b, int t, int n) {
  constexpr Cfg c = get_cfg(T);
  constexpr dot_t d = get_funcs<T, J>().d;
  constexpr auto f = get_funcs<T, J>();
  __shared__ int s[c.cols(9) * 32];
  s[(t * c.cols(1)) & 255] = 1;
  if constexpr (c.big()) n += b[t * V<c.cols(2)>::v]; else n += b[t * V<c.x + 2>::v];
  n += b[d(t, 1)];
  n += b[f.d(t, 2) + f.v];
  return n + s[t] + b[t * get_cfg(T).rows()];
}
__global__ void k(int *a, const int *b, int n) {
  int t = threadIdx.x;
  a[t] = use<1, 3>(b, t, n) + use<2, 2>(b, t, n) + use<3, 1>(b, t, n);
}
__global__ void shadows(int *a, const int *b, int n) {
  int t = threadIdx.x;
  constexpr Cfg c(2, 3);
  { Cfg c(t, n); a[t] = b[c.x * 2]; c.x += 1; a[t] = b[c.cols(1) & 1023]; }
  constexpr int m[2][2] = {{1, 2}, {3, 4}};
  a[t] = b[t * V<m[1][0]>::v];
  a[t] = b[t * c.cols(4)];
  for (int i = 0; i < 2; i++) { const Cfg c(i + 1, t); a[t] = b[c.x * t]; a[t] = b[c.y * c.x]; }
}
