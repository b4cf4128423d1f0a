// Classes with a class template as an argument are one type by whatever name.
namespace at {
template <typename T> struct Restr { typedef T *__restrict__ PtrType; };
template <typename T, template <typename U> class P> struct GA { T *data_; };
}
template <typename T> struct Loc { typedef T *PtrType; };
template <typename T, template <typename U> class P> struct GL { T *data_; };
template <class T> __device__ int h(at::GA<T, at::Restr> a) { return 1; }
__device__ int h(...) { return 3; }
template <class T> __device__ int g(at::GA<T, at::Restr> a) { return 1; }
template <class A> __device__ int g(A a, int = 0) { return 3; }
template <class A> struct W { static constexpr int v = 3; };
template <class T> struct W<at::GA<T, at::Restr>> { static constexpr int v = 1; };
template <class T> __device__ int l(GL<T, Loc> a) { return 1; }
__device__ int l(...) { return 3; }
template <class T> __device__ int m(GL<T, at::Restr> a) { a.data_[threadIdx.x] = 1; return 1; }
__global__ void k1(at::GA<int, at::Restr> a, float *p) { p[threadIdx.x * h(a)] = 1; }
__global__ void k2(at::GA<int, at::Restr> a, float *p) { p[threadIdx.x * g(a)] = 1; }
__global__ void k3(at::GA<int, at::Restr> a, float *p) { p[threadIdx.x * W<at::GA<int, at::Restr>>::v] = 1; }
__global__ void k4(GL<int, Loc> a, float *p) { p[threadIdx.x * l(a)] = 1; }
__global__ void k5(GL<int, at::Restr> a, float *p) { m(a); }
using namespace at;
template <class T> __device__ int n(GL<T, Restr> a) { a.data_[threadIdx.x] = 1; return 1; }
__global__ void k6(GL<int, at::Restr> a, float *p) { n(a); }
template <class T> __device__ int o(GL<int, at::Restr> a, T t) { a.data_[threadIdx.x] = 1; return 1; }
__global__ void k7(GL<int, at::Restr> a, float *p) { o(a, 1); }
__global__ void k8(GL<int, Restr> a, float *p) { m(a); }
template <class T> __device__ int h9(GL<T, at::Restr> a) { return 1; }
template <class T> __device__ int h9(GL<T, Loc> a) { return 3; }
__global__ void k9(GL<int, Restr> a, float *p) { p[threadIdx.x * h9(a)] = 1; }
