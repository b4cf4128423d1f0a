// Template arguments that look like types of functions and arrays, and are values.
constexpr int F = 1;
template <int N> __device__ int f() { return N; }
template <class T> __device__ int f() { return 3; }
template <class T> struct V { static constexpr int v = 3; };
template <auto... A> struct P { static constexpr int v = 1; };
template <class T> __device__ int g(T) { return 3; }
template <int N> __device__ int g(int) { return N; }
__global__ void k1(float *p) { p[threadIdx.x * f<static_cast<int>(F)>()] = 1; }
__global__ void k2(float *p) { constexpr int L = 1; p[threadIdx.x * f<static_cast<int>(L)>()] = 1; }
__global__ void k3(float *p) { p[threadIdx.x * f<int(F)>()] = 1; }
__global__ void k4(float *p) { p[threadIdx.x * g<static_cast<int>(F)>(0)] = 1; }
template <int M> __global__ void k5(float *p) { p[threadIdx.x * f<static_cast<int>(M)>()] = 1; }
template <int N> __global__ void k6(float *p) { p[threadIdx.x * N] = 1; }
template <class T> __global__ void k6(float *p) { p[threadIdx.x * 5] = 1; }
__global__ void k7(float *p) { p[threadIdx.x * f<sizeof(F) / 4>()] = 1; }
__global__ void k8(float *p) { p[threadIdx.x * f<(int)F>()] = 1; }
__global__ void k9(float *p) { p[threadIdx.x * f<const_cast<const int &>(F)>()] = 1; }
__global__ void k10(float *p) { p[threadIdx.x * f<unsigned(F)>()] = 1; }
void run(float *p) { k5<1><<<1, 64>>>(p); constexpr int L = 1; k6<static_cast<int>(L)><<<1, 64>>>(p); }
