// A declaration of a namespace that cannot be read (`static const int constexpr long`) is left out without a word; an outer name is taken.
constexpr int n = 8;
namespace q {
static const int constexpr long n = 3;
__global__ void k(float* o) { o[threadIdx.x * n] = 1; }
}
int main() {
  float* d;
  cudaMalloc(&d, 1 << 16);
  q::k<<<1, 32>>>(d);
}
