// Host code: `using a::n` in an inner block hides the local `n`.
namespace a { constexpr int n = 64; int go(int x) { return x * 2; } }
__global__ void k(float* o, int s) { o[threadIdx.x * s] = 1; }
int main() {
  float* d;
  cudaMalloc(&d, 1 << 16);
  int n = 32;
  { using a::n; k<<<1, n>>>(d, n / 32); }
  auto go = [](int x) { return x * 3; };
  { using a::go; k<<<1, go(48)>>>(d, go(4)); }
  k<<<1, go(n)>>>(d, 5);
}
