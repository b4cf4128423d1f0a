// The elements of a pack of values have the type that the pack has.
#include <utility>
template <size_t... I> __device__ int last(std::index_sequence<I...>, int n) { return ((I < n ? 2 : 1) * ...); }
__global__ void k1(int *a) { int t = threadIdx.x; a[t * last(std::index_sequence<0, 1, 2>{}, -1)] = 0; }
template <size_t... I> __device__ int wide(std::index_sequence<I...>) { return ((int)((I << 33) >> 31) + ...); }
__global__ void k2(int *a) { int t = threadIdx.x; a[t * wide(std::index_sequence<0, 1>{})] = 0; }
template <unsigned... S> struct Strides { static __device__ int off(int t) { return ((t * int((S - 4) / 0x40000000u)) + ...); } };
__global__ void k3(int *a) { int t = threadIdx.x; a[Strides<3>::off(t)] = 0; a[Strides<4, 3>::off(t)] = 0; }
template <class F, size_t... I> __device__ void sfor(F f, std::index_sequence<I...>) { (f(I), ...); }
template <class F, size_t... I> __device__ void sfor2(F f, std::index_sequence<I...>) { (f(std::integral_constant<size_t, I>{}), ...); }
__global__ void k4(int *a) { int t = threadIdx.x; int s = 0; sfor([&](auto i) { s += sizeof(i); }, std::index_sequence<0>{}); a[t * s / 4] = 0; }
__global__ void k5(int *a) { int t = threadIdx.x; int s = 0; sfor2([&](auto i) { s += i - 1 > 5 ? 2 : 3; }, std::index_sequence<0>{}); a[t * s] = 0; }
template <size_t... I> __device__ int arr(int k) { size_t x[] = {I...}; auto y = {I...}; return (x[0] - 1 > 5 ? 2 : 3); }
__global__ void k6(int *a) { int t = threadIdx.x; a[t * arr<0, 1>(0)] = 0; }
template <unsigned char... C> __device__ int b() { return ((C << 1) + ...) / 128; } template <bool... B> __device__ int bb() { return (sizeof(B) + ...); } template <char... C> __device__ int cc() { int s = 0; ((s += C - '0'), ...); return s; }
__global__ void k7(int *a) { int t = threadIdx.x; a[t * b<200, 100>()] = 0; a[t * bb<true, false>()] = 0; a[t * cc<'2', '1'>()] = 0; }
template <size_t... I> __device__ int lam() { auto f = [](auto x) { return sizeof(x); }; return (f(I) + ...) / 4; }
__global__ void k8(int *a) { int t = threadIdx.x; a[t * lam<0, 1>()] = 0; }
