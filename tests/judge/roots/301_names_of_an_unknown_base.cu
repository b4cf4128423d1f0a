// A base that is not known (missing header, macro) may have any name: methods, constants, types, initialisers, nested and local classes take the outer ones; host code too (H: instance inst<3>, block 96).
constexpr int n = 8;
__host__ __device__ constexpr int h(int x) { return x * 8; }
typedef double T;
enum { e = 8 };
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_1
namespace lib { struct B { enum { n = 3 }; enum { e = 3 }; typedef char T; __host__ __device__ static int h(int x) { return x * 3; } }; enum Col { n = 3 }; template <class X> struct G { enum { n = 3 }; __host__ __device__ static int h(int x) { return x * 3; } }; struct V { int v; }; __host__ __device__ inline int h(V, int x) { return x * 3; } }
#define LIB_BASE public lib::B
#endif
struct D : lib::B { __device__ int f(int x) { return h(x); } __device__ int g(int x) { return x * n; } __device__ int t(int x) { return x * sizeof(T); } __device__ int ee(int x) { return x * e; } };
__global__ void k1(float* o) { D d; o[d.f(threadIdx.x)] = 1; o[d.g(threadIdx.x)] = 1; o[d.t(threadIdx.x)] = 1; o[d.ee(threadIdx.x)] = 1; }
struct D2 : D { __device__ int q(int x) { return x * n; } };
__global__ void k2(float* o) { D2 d; o[d.q(threadIdx.x)] = 1; }
struct D3 : lib::G<int> { __device__ int q(int x) { return x * n; } __device__ int r(int x) { return h(x); } };
__global__ void k3(float* o) { D3 d; o[d.q(threadIdx.x)] = 1; o[d.r(threadIdx.x)] = 1; }
struct D6 : LIB_BASE { __device__ int q(int x) { return x * n; } };
__global__ void k6(float* o) { D6 d; o[d.q(threadIdx.x)] = 1; }
__global__ void k7(float* o) { struct D7 : lib::B { __device__ int q(int x) { return x * n; } }; D7 d; o[d.q(threadIdx.x)] = 1; }
struct D9 : lib::B { static constexpr int s = n + 1; int arr[n]; enum { z = n }; using T2 = T; };
__global__ void k9(float* o) { o[threadIdx.x * D9::s] = 1; o[threadIdx.x * sizeof(D9) / 4] = 1; o[threadIdx.x * D9::z] = 1; o[threadIdx.x * sizeof(D9::T2)] = 1; }
template <class X> struct D11 : lib::B { __device__ int q(int x) { return x * n; } };
__global__ void k11(float* o) { D11<int> d; o[d.q(threadIdx.x)] = 1; }
struct D12 : lib::B { int v; __device__ D12(int x) : v(x * n) {} __device__ D12() { v = n; } int w = n; };
__global__ void k12(float* o) { D12 d(1), e; o[threadIdx.x * d.v] = 1; o[threadIdx.x * e.v] = 1; o[threadIdx.x * e.w] = 1; }
struct D13 : lib::B { struct I { __device__ int q(int x) { return x * n; } }; __device__ int w(int x) { auto l = [=] { return x * n; }; return l(); } };
__global__ void k13(float* o) { D13::I d; o[d.q(threadIdx.x)] = 1; D13 e; o[e.w(threadIdx.x)] = 1; }
template <int N> __global__ void inst(float* o) { o[threadIdx.x * N] = 1; }
struct H : lib::B { void go(float* d) { inst<n><<<1, n * 32>>>(d); inst<1><<<1, h(32)>>>(d); } };
int main() { float* d; cudaMalloc(&d, 1 << 20); k1<<<1, 32>>>(d); k2<<<1, 32>>>(d); k3<<<1, 32>>>(d); k6<<<1, 32>>>(d); k7<<<1, 32>>>(d); k9<<<1, 32>>>(d); k11<<<1, 32>>>(d); k12<<<1, 32>>>(d); k13<<<1, 32>>>(d); H().go(d); }
