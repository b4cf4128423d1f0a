// Names that a structured binding of a namespace declares are not known there: an outer name is taken.
constexpr int bs = 96, s = 8;
struct P { int a, b; };
template <int N> __global__ void inst(float* o) { o[threadIdx.x * N] = 1; }
__global__ void k(float* o, int n) { o[threadIdx.x * n] = 1; }
namespace q {
const auto [bs, s] = P{64, 3};
void go(float* d) { k<<<1, bs>>>(d, s); }
}
int main() {
  float* d;
  cudaMalloc(&d, 1 << 16);
  q::go(d);
}
