// Names of dependent bases and of inline namespaces.
constexpr int KK = 2;
template <class T> struct B1 { static constexpr int KK = 8; int st = 3; __device__ int f(int t) { return t * 4; } };
__device__ int f(int t) { return t * 2; }
template <class T> struct D1 : B1<T> { __device__ int a(int t) { return t * KK; } __device__ int b(int t) { return f(t); } __device__ int c(int t) { return this->f(t); } __device__ int d(int t) { return t * D1::KK; } };
struct N1 : B1<int> { __device__ int a(int t) { return t * KK; } __device__ int b(int t) { return f(t); } };
//@ launch r51_names_x1 grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_names_x1(float *a) {
  int t = threadIdx.x; D1<int> d; N1 n;
  a[d.a(t)] = 1;
  a[d.b(t)] = 1;
  a[d.c(t)] = 1;
  a[d.d(t)] = 1;
  a[n.a(t)] = 1;
  a[n.b(t)] = 1;
}
namespace A { inline namespace v2 { constexpr int W = 4; } namespace v1 { constexpr int W = 8; } __device__ int g(int t) { return t * W; } }
constexpr int W = 1; namespace Bn { constexpr int W = 2; namespace C { __device__ int h(int t) { return t * W; } constexpr int X = W * 2; } constexpr int X = 3; __device__ int k(int t) { return t * C::X + X; } }
//@ launch r51_names_x2 grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_names_x2(float *a) {
  int t = threadIdx.x;
  a[A::g(t)] = 1;
  a[t * A::W] = 1;
  a[t * A::v1::W] = 1;
  a[Bn::C::h(t)] = 1;
  a[Bn::k(t)] = 1;
  { using namespace Bn::C; a[t * X] = 1; }
}
struct M3 { int s = 4; __device__ int f(int s) { return s * this->s; } __device__ int g(int t) { int s = 2; return t * s; } __device__ int h(int t) { auto l = [this](int t) { return t * s; }; s = 8; return l(t); } __device__ int k(int t) { auto l = [*this](int t) { return t * s; }; s = 1; return l(t); } };
//@ launch x3 grid=(2) block=(64) args(a=f32[65536])
