// Bases, casts, friends by the hidden namespace.
namespace a { struct B { int v = 2; __device__ int f(int x) const { return x * 2; } }; typedef unsigned char T; }
namespace z { struct B { int v = 8; __device__ int f(int x) const { return x * 8; } }; typedef unsigned short T; }
__global__ void k(float* o) {
  namespace z = a;
  struct D : z::B {};
  o[threadIdx.x * D().v] = 1;
  o[(z::T)(threadIdx.x * 9)] = 1;
  __shared__ z::T s[64];
  s[threadIdx.x] = 1;
  o[threadIdx.x * sizeof(z::T)] = s[0];
}
int main() { float* d; cudaMalloc(&d, 1 << 16); k<<<1, 32>>>(d); }
