// A declaration of a host function's block that cannot be read (an unknown macro in front, an unusual order): the file's `n` is taken. In kernels: "not analysed".
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_1
#define LIB_CONST constexpr
#define LIB_VAR(T, n) T n = 3
#define LIB_ENUM(E, ...) enum E { __VA_ARGS__ }
#endif
constexpr int n = 8;
template <int N> __global__ void i(float* o) { o[threadIdx.x * N] = 1; }
__global__ void k(float* o, int s) { o[threadIdx.x * s] = 1; }
void h1(float* d) { LIB_CONST int n = 3; i<n + 4><<<1, n * 32>>>(d); }
void h2(float* d) { static const int constexpr long n = 3; i<n><<<1, n * 32>>>(d); }
void h3(float* d) { LIB_VAR(const int, n); i<n + 10><<<1, n * 32>>>(d); }
void h5(float* d) { LIB_CONST int n = 3; k<<<1, 32>>>(d, n); }
int main() { float* d; cudaMalloc(&d, 1 << 20); h1(d); h2(d); h3(d); h5(d); }
