// An enumeration or a class that the head of if, switch or for declares is not known in it; outer names are taken.
constexpr int n = 8;
struct S { enum { v = 8 }; };
template <int N> __global__ void i(float* o) { o[threadIdx.x * N] = 1; }
__global__ void k1(float* o) { if (enum { n = 3 } e = n; true) o[threadIdx.x * n] = 1; }
__global__ void k2(float* o) { if (struct S { enum { v = 3 }; } s; true) o[threadIdx.x * S::v] = 1; }
__global__ void k3(float* o) { for (enum { n = 3 } e = n;;) { o[threadIdx.x * n] = 1; break; } }
__global__ void k4(float* o) { switch (enum { n = 3 } e = n; 1) { case 1: o[threadIdx.x * n] = 1; } }
__global__ void k5(float* o) { if (typedef char S; true) o[threadIdx.x * sizeof(S)] = 1; }
void h1(float* d) { if (enum { n = 128 } e = n; true) i<n><<<1, n>>>(d); i<n><<<1, n * 8>>>(d); }
void h2(float* d) { for (enum { n = 160 } e = n;;) { i<n + 1><<<1, n>>>(d); break; } }
void h3(float* d) { if (struct S { enum { v = 192 }; } s; true) i<S::v><<<1, S::v>>>(d); }
int main() { float* d; cudaMalloc(&d, 1 << 20); k1<<<1, 32>>>(d); k2<<<1, 32>>>(d); k3<<<1, 32>>>(d); k4<<<1, 32>>>(d); k5<<<1, 32>>>(d); h1(d); h2(d); h3(d); }
