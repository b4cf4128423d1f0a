// An instance launched by a local alias is not counted, and nothing says so.
namespace a { template <int N> __global__ void k(float* o) { o[threadIdx.x * N] = 1; } }
int main() {
  float* d;
  cudaMalloc(&d, 1 << 16);
  namespace z = a;
  a::k<5><<<1, 64>>>(d);
  z::k<3><<<1, 64>>>(d);
}
