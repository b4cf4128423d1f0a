// A `<` behind a namespace's constant, a member, a character or a member of a template's class compares.
template <int N> struct Nv260 { static constexpr int v = N; };
template <int N> __device__ int g260(int x) { return x * N; }
template <class T> struct Q260 {
  static constexpr int n = 5;
  enum { m = 7 };
};
struct Cfg260 { int n; };
constexpr Cfg260 kC260{6};
namespace ns260 { constexpr int n = 5; }
__global__ void kernel260(int *a) {
  int t = threadIdx.x;
  a[t * Nv260<ns260::n < 3 ? 2 : 3>::v] = 0;
  a[t * Nv260<kC260.n < 3 ? 2 : 5>::v] = 0;
  a[t * Nv260<Q260<int>::n < 3 ? 2 : 7>::v] = 0;
  a[t * Nv260<Q260<int>::m < 3 ? 2 : 3>::v] = 0;
  a[t * Nv260<'a' < 3 ? 2 : 4>::v] = 0;
  a[t * Nv260<Q260<int>::n < 9>::v + t * 2] = 0;
  a[t * Nv260<ns260::n < 9 ? 1 : 2>::v + g260<ns260::n < 3 ? 2 : 3>(t)] = 0;
}
// The same of the preprocessor's operator.
#define BEGIN260 _Pragma("pack(push, 1)")
#define END260 _Pragma("pack(pop)")
BEGIN260
struct One260 {
  char c;
  int x;
};
END260
#pragma pack(push, 2)
struct Two260 {
  char c;
  int x;
  double d;
};
#pragma pack(pop)
__global__ void packed260(One260 *p, Two260 *q) {
  p[threadIdx.x].c = 1;
  q[threadIdx.x].c = 1;
}
