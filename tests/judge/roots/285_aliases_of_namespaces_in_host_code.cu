namespace a { constexpr int n = 96; struct S { static constexpr int v = 64; int w = 5; }; inline int f(int x) { return x * 2; } template <int N> __global__ void k(float* o) { o[threadIdx.x * N] = 1; } template <class T> void go(float* d) { k<1><<<1, 160>>>(d); } }
namespace z { constexpr int n = 32; struct S { static constexpr int v = 128; int w = 3; }; inline int f(int x) { return x; } template <class T> void go(float* d) { a::k<2><<<1, 192>>>(d); } }
int main() {
  float* d;
  cudaMalloc(&d, 1 << 16);
  namespace z = a;
  a::k<3><<<1, z::n>>>(d);
  a::k<4><<<1, z::S::v>>>(d);
  z::S s;
  a::k<5><<<1, s.w * 8>>>(d);
  a::k<6><<<1, z::f(56)>>>(d);
  a::k<z::n / 12><<<1, 224>>>(d);
  z::go<int>(d);
}
