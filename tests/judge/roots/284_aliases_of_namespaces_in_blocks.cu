namespace a { struct S { static constexpr int v = 2; }; __device__ int h(int x) { return x * 2; } enum { k = 3 }; enum class E { V = 4 }; template <int N> struct T { static constexpr int v = N * 2; }; }
namespace z { struct S { static constexpr int v = 5; }; __device__ int h(int x) { return x * 5; } enum { k = 6 }; enum class E { V = 7 }; template <int N> struct T { static constexpr int v = N; }; }
struct S { static constexpr int v = 9; };
__device__ int h(int x) { return x * 9; }
__global__ void k1(float* o) { auto f = [&] { namespace z = a; o[z::h(threadIdx.x)] = 1; }; f(); o[z::h(threadIdx.x)] = 1; }
__global__ void k2(float* o) { namespace z = a; using z::h; o[h(threadIdx.x)] = 1; using z::S; o[threadIdx.x * S::v] = 1; }
__global__ void k3(float* o) { namespace z = a; using namespace z; o[threadIdx.x * k] = 1; }
__global__ void k4(float* o) { namespace z = a; using Q = z::S; o[threadIdx.x * Q::v] = 1; constexpr int m = z::T<3>::v; o[threadIdx.x * m] = 1; __shared__ float s[32 * z::k + z::S::v]; s[threadIdx.x * 2] = o[threadIdx.x]; }
template <class T> __device__ void ap(float* o) { o[threadIdx.x * T::v] = 1; }
__global__ void k5(float* o) { namespace z = a; ap<z::S>(o); ap<z::T<2>>(o); o[threadIdx.x * (int)z::E::V] = 1; }
struct M { __device__ void run(float* o) { namespace z = a; o[z::h(threadIdx.x)] = 1; } };
__global__ void k6(float* o) { M().run(o); }
int main() {
  float* d;
  cudaMalloc(&d, 1 << 16);
  k1<<<1, 32>>>(d); k2<<<1, 32>>>(d); k3<<<1, 32>>>(d); k4<<<1, 32>>>(d); k5<<<1, 32>>>(d); k6<<<1, 32>>>(d);
}
