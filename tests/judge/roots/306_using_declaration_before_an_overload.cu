// A using-declaration brings in the functions that are declared before it.
namespace a { __device__ int f(int x) { return x * 2; } __device__ int one(long x) { return (int)x * 2; } template <class T> __device__ int t(T x) { return (int)x * 2; } int sz(long x) { return (int)x * 2; } }
using a::f; using a::one; using a::t; using a::sz;
namespace c { __device__ int f(int x) { return x * 2; } namespace d { using c::f; } __device__ int f(unsigned x) { return x * 3; } __device__ int z(unsigned x) { return d::f(x); } }
namespace a { __device__ int f(unsigned x) { return (int)x * 5; } __device__ int one(unsigned x) { return (int)x * 5; } __device__ int t(unsigned x) { return (int)x * 5; } int sz(int x) { return x * 3; } }
__global__ void k1(float* o) { o[f(threadIdx.x)] = 1; }
__global__ void k2(float* o) { o[one(threadIdx.x)] = 1; }
__global__ void k3(float* o) { o[t(threadIdx.x)] = 1; }
__global__ void k4(float* o) { o[c::z(threadIdx.x)] = 1; }
__global__ void host(float* o, int s) { o[threadIdx.x * s] = 1; }
int main() { float* d; cudaMalloc(&d, 1 << 20); k1<<<1, 32>>>(d); k2<<<1, 32>>>(d); k3<<<1, 32>>>(d); k4<<<1, 32>>>(d); host<<<1, sz(32)>>>(d, sz(4)); }
