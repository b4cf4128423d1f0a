// C++17: a using-declaration of several names at file or namespace scope: only the first is read. (In a block the function is "not analysed".)
namespace a { __device__ int g(int x) { return x * 2; } __device__ int h(int x) { return x * 2; } enum { m = 3 }; constexpr int bs = 64; struct R { static constexpr int v = 2; }; }
__device__ int h(int x) { return x * 8; }
enum { m = 9 };
constexpr int bs = 96;
struct R { static constexpr int v = 8; };
namespace q {
using a::g, a::h, a::m, a::R, a::bs;
__global__ void k(float* o) { o[g(threadIdx.x)] = 1; o[h(threadIdx.x) + 1] = 1; o[threadIdx.x * m + 1] = 1; o[threadIdx.x * R::v] = 1; }
__global__ void one(float* o) { o[threadIdx.x * 7] = 1; }
void go(float* d) { one<<<1, bs>>>(d); }
}
int main() {
  float* d;
  cudaMalloc(&d, 1 << 16);
  q::k<<<1, 32>>>(d);
  q::go(d);
}
