// A name in parentheses is looked for where it stands, not among what belongs to its arguments.
namespace n { struct S { int v; }; __device__ int f(S s, int t) { return t * 4; } struct U { int v; }; __device__ int g(U u, int t) { return t * 4; } }
template <class T> __device__ int f(T s, int t) { return t * 2; }
//@ launch r52_parentheses_1 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_parentheses_1(float *a) {
  int t = threadIdx.x;
  n::S s{1};
  a[f(s, t)] = 1;
  a[(f)(s, t)] = 1;
  a[(f<n::S>)(s, t)] = 1;
  a[(t)] = 1;
  a[(n::f)(s, t)] = 1;
  a[(&n::f)(s, t)] = 1;
  a[(*n::f)(s, t)] = 1;
}
namespace m { struct S { int v; }; __device__ int f(S s, int t) { return t * 4; } }
__device__ int f(m::S, int t) { return t * 8; }
struct V { int v; __device__ V(m::S s) : v(s.v) {} };
__device__ int r(V, int t) { return t * 8; }
namespace m { __device__ int r(S, int t) { return t * 2; } }
//@ launch r52_parentheses_2 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_parentheses_2(float *a) {
  int t = threadIdx.x;
  m::S s{1};
  a[r(s, t)] = 1;
  a[(r)(s, t)] = 1;
  a[((r))(s, t)] = 1;
}
