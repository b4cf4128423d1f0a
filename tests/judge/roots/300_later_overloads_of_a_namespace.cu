namespace g { int sz(int x) { return x * 2; } constexpr int cz(long x) { return (int)x * 2; } struct S { static constexpr int v = 2; }; }
namespace u { using namespace g; }
template <int N> __global__ void i(float* o) { o[threadIdx.x * N] = 1; }
__global__ void k(float* o, int s) { o[threadIdx.x * s] = 1; }
void h1(float* d) { k<<<1, g::sz(32u)>>>(d, 2); }
void h2(float* d) { i<g::cz(3)><<<1, 96>>>(d); }
void h3(float* d) { i<u::S::v + 20><<<1, 128>>>(d); }
namespace g { int sz(unsigned x) { return x * 3; } constexpr int cz(int x) { return x * 3; } }
namespace u { struct S { static constexpr int v = 7; }; }
int main() { float* d; cudaMalloc(&d, 1 << 20); h1(d); h2(d); h3(d); }
