// A using-declaration of a block counts in functions that are worked out.
template <int N> struct Nv { static constexpr int v = N; };
using T = double; constexpr int c = 7; __host__ __device__ constexpr int fn(int) { return 7; } __host__ __device__ constexpr int fl(long) { return 7; } template <class X> struct Tm { static constexpr int v = 7; };
namespace ns { constexpr int c = 2; using T = short; __host__ __device__ constexpr int fn(int) { return 2; } __host__ __device__ constexpr int fl(int) { return 2; } template <class X> struct Tm { static constexpr int v = 2; }; enum class EC { A = 2 }; }
__host__ __device__ constexpr int f1() { using ns::c; return c; }
__host__ __device__ constexpr int f2() { using ns::fn; return fn(1); }
__host__ __device__ constexpr int f3() { using ns::T; return sizeof(T); }
__host__ __device__ constexpr int f4() { using ns::Tm; return Tm<int>::v; }
__host__ __device__ constexpr int f5() { using namespace ns; return fl(1); }
__host__ __device__ constexpr int f6(int x) { using ns::fn; return x + fn(1); }
template <int K> __host__ __device__ constexpr int f7() { using ns::fl; return fl(K); }
__host__ __device__ constexpr int f8() { if (true) { using ns::c; return c; } return c; }
struct S { int v = f1(); static constexpr int w = f2(); };
__global__ void k1(int *a) { int t = threadIdx.x; a[t * f1()] = 0; }
__global__ void k2(int *a) { int t = threadIdx.x; a[t * f2()] = 0; }
__global__ void k3(int *a) { int t = threadIdx.x; a[t * f3()] = 0; }
__global__ void k4(int *a) { int t = threadIdx.x; a[t * f4()] = 0; }
__global__ void k5(int *a) { int t = threadIdx.x; a[t * f5()] = 0; }
__global__ void k6(int *a) { int t = threadIdx.x; a[t * f6(0)] = 0; }
__global__ void k7(int *a) { int t = threadIdx.x; a[t * f7<3>()] = 0; }
__global__ void k8(int *a) { int t = threadIdx.x; a[t * f8()] = 0; }
__global__ void k9(int *a) { int t = threadIdx.x; a[t * S::w] = 0; }
__global__ void k10(int *a, int n) { int t = threadIdx.x; int q = f6(n) - n; a[t * q] = 0; }
__global__ void k11(int *a) { int t = threadIdx.x; constexpr auto l = [] { using ns::fn; return fn(1); }; a[t * l()] = 0; a[t * Nv<l()>::v] = 0; }
