// Calls and values of templates that would be comparisons, were their names variables.
namespace n238 {
struct Tr {
  static constexpr int n = 3;
};
template <int N> struct V {
  static constexpr int v = N;
};
template <int N> constexpr int vt = N;
template <int N> __device__ int h(int x) { return x + N; }
template <bool B> struct If;
template <> struct If<true> {
  using type = int;
};
} // namespace n238
template <int I> __device__ typename n238::If<(I > 0)>::type made238(int i) { return i + I; }
template <int I> __device__ decltype(auto) given238(int i) { return i + I; }
template <int N> __device__ int (&rows238(int (&a)[N]))[N] { return a; }
struct O238 {
  float *a;
  template <bool B> __device__ void put(int t) { a[t * (B ? 4 : 2)] = 1; }
  template <bool B> __device__ int get(int t) { return B ? 3 : t; }
  template <int N> __device__ void step(int t) { a[t * N] = 1; }
};
constexpr bool kA238 = true, kB238 = true;
__global__ void r238_values(float *a) {
  int t = threadIdx.x;
  a[t * n238::V<n238::Tr::n + 1>::v] = 1;
  a[t * n238::V<sizeof(int) / 2>::v] = 2;
  if (t < n238::V<sizeof(int)>::v)
    a[t * 8] = 3;
  a[n238::vt<3> * t] = 4;
  int x = n238::vt<8> - 3;
  a[t * x] = 5;
  a[n238::vt<2> + (t)] = 6;
  a[(n238::vt<(1 << 2)>) * t] = 7;
}
__global__ void r238_calls(float *a) {
  int t = threadIdx.x;
  O238 o{a};
  o.put<kA238 && kB238>(t);
  o.put<kA238 && !kB238>(t);
  a[o.get<kA238 && kB238>(t) * t] = 1;
  o.step<n238::V<2>{}.v>(t);
  a[t * made238<2>(1)] = 2;
  a[t * given238<3>(1)] = 3;
  int r[4] = {t, t * 2, t * 3, t * 5};
  a[rows238<4>(r)[2]] = 4;
  if (n238::h<2>(static_cast<int>(t)) > 5)
    a[t * 8] = 5;
}
