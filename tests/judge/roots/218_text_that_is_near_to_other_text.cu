// Comparisons in lists of templates, defaults in braces, typeof, captures behind a comparison, members named with their
// base, jumps and assignments in odd places: each is read as it is written, or not at all.
constexpr int k218 = 3, n218 = 5, m218 = 3;
template <int N, int E = 2> __device__ int f218(int x) { return x * E; }
template <int D, bool S = D < 4> __device__ int g218(int x) { return S ? x : x * 2; }
template <int D> __device__ int g218(long x) { return x * 3; }
struct S218 { static constexpr int m218 = k218 < 4 && n218 > (2) ? 4 : 6; __device__ static int go() { return m218; } };
struct V218 { int v; __device__ V218(int x = 5) : v(x) {} };
__device__ inline int d218(int x, V218 p = {3}, int y = {2}) { return x * p.v * y; }
template <int N> struct B218 { static constexpr int z = N; };
struct D218 : B218<2> { static constexpr int z = 5; };
//@ launch r218_text_that_is_near_to_other_text grid=(1) block=(64) args(a=i32[65536])
__global__ void r218_text_that_is_near_to_other_text(int *a) {
  int t = threadIdx.x, x = 1, y = 7;
  a[f218<k218 < 4, 3>(t)] = 1;
  a[g218<2>(t)] = 1;
  a[t * S218::go()] = 1;
  a[d218(t)] = 1;
  unsigned char narrow = 0;
  __typeof__(narrow) same = t * 20;
  a[same] = 1;
  auto f = [x = t < 5, y = 3]() { return y + x * 0; };
  a[t * f()] = 1;
  D218 o;
  a[t * o.B218<2>::z] = 1;
  a[t * (t >= 0 ? x : y = 5, x)] = 1;
}
