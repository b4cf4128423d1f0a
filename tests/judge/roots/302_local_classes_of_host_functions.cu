// Members of a class in a host function: initialisers, enumerators, arrays, constructors take the file's `n`, not the function's.
__global__ void k(float* o, int s) { o[threadIdx.x * s] = 1; }
template <int N> __global__ void i(float* o) { o[threadIdx.x * N] = 1; }
constexpr int n = 64;
typedef double T;
void h1(float* d) { static constexpr int n = 416; struct L { int v = n; }; L l; k<<<1, l.v>>>(d, 4); }
void h2(float* d) { constexpr int n = 96; struct L { enum { v = n * 2 }; }; k<<<1, L::v>>>(d, 6); i<L::v / 32><<<1, 32>>>(d); }
void h3(float* d) { constexpr int n = 96; struct L { int a[n]; }; k<<<1, sizeof(L)>>>(d, 7); }
void h4(float* d) { constexpr int n = 96; struct L { int v; L(int x) : v(x + n) {} }; L l(32); k<<<1, l.v>>>(d, 8); }
void h5(float* d) { typedef float T; struct L { T a[16]; }; k<<<1, sizeof(L)>>>(d, 9); }
int main() { float* d; cudaMalloc(&d, 1 << 20); h1(d); h2(d); h3(d); h4(d); h5(d); }
