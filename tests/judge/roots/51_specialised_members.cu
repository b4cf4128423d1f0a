// Specialisations that stand outside of what they specialise.
template <class T> struct O1 { static constexpr int kk = sizeof(T); __device__ int g(int t); __device__ int h(int t) { return t * kk; } static __device__ int s(int t) { return t; } };
template <class T> __device__ int O1<T>::g(int t) { return t * kk; }
template <> __device__ int O1<char>::g(int t) { return t * 3; }
template <> __device__ int O1<float>::h(int t) { return t * 8; }
template <> __device__ int O1<int>::s(int t) { return t * 2; }
//@ launch r51_special_w1 grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_special_w1(float *a) {
  int t = threadIdx.x; O1<char> c; O1<double> d; O1<float> f;
  a[c.g(t)] = 1;
  a[d.g(t)] = 1;
  a[f.h(t)] = 1;
  a[d.h(t)] = 1;
  a[O1<int>::s(t)] = 1;
}
template <class T> struct K2 { static const int v; static const int w; }; template <class T> const int K2<T>::v = 2; template <> const int K2<char>::v = 8; template <class T> const int K2<T>::w = 1; template <> const int K2<float>::w = 4;
template <class T> constexpr int vt = 1; template <> constexpr int vt<float> = 4; template <class T> constexpr int vt<T *> = 8;
//@ launch r51_special_w2 grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_special_w2(float *a) {
  int t = threadIdx.x;
  a[t * K2<char>::v] = 1;
  a[t * K2<int>::v] = 1;
  a[t * K2<float>::w] = 1;
  a[t * vt<int>] = 1;
  a[t * vt<float>] = 1;
  a[t * vt<float *>] = 1;
}
template <int A, int B> struct P3 { static __device__ int f(int t) { return t; } }; template <int B> struct P3<2, B> { static __device__ int f(int t) { return t * B; } }; template <> struct P3<2, 4> { static __device__ int f(int t) { return t * 8; } };
template <class T> __device__ int ft(T x, int t) { return t; } template <> __device__ int ft(float x, int t) { return t * 2; } template <> __device__ int ft<int>(int x, int t) { return t * 4; } template <class T> __device__ int ft(T *x, int t) { return t * 3; }
//@ launch r51_special_w3 grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_special_w3(float *a) {
  int t = threadIdx.x;
  a[P3<1, 4>::f(t)] = 1;
  a[P3<2, 3>::f(t)] = 1;
  a[P3<2, 4>::f(t)] = 1;
  a[ft(1.0, t)] = 1;
  a[ft(1.f, t)] = 1;
  a[ft(1, t)] = 1;
  a[ft(a, t)] = 1;
}
template <class T, int N> struct V4 { template <int M> __device__ int m(int t) { return t * M; } template <class U> struct In { static constexpr int x = sizeof(U); }; };
template <> template <> __device__ int V4<int, 2>::m<3>(int t) { return t * 8; }
template <> template <> struct V4<int, 2>::In<char> { static constexpr int x = 4; };
//@ launch r51_special_w4 grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_special_w4(float *a) {
  int t = threadIdx.x; V4<int, 2> v; V4<int, 1> u;
  a[v.m<3>(t)] = 1;
  a[u.m<3>(t)] = 1;
  a[v.m<2>(t)] = 1;
  a[t * V4<int, 2>::In<char>::x] = 1;
  a[t * V4<int, 1>::In<char>::x] = 1;
}
namespace nn { template <class T> struct T5 { static constexpr int v = 1; }; template <class T> using A5 = T5<T *>; } template <> struct nn::T5<float> { static constexpr int v = 4; }; namespace nn { template <class T> struct T5<T *> { static constexpr int v = 2 * T5<T>::v; }; }
//@ launch r51_special_w5 grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_special_w5(float *a) {
  int t = threadIdx.x;
  a[t * nn::T5<float>::v] = 1;
  a[t * nn::A5<float>::v] = 1;
  a[t * nn::T5<int>::v] = 1;
}
template <class T> struct Loader { __device__ static int at(const T *p, int i); };
template <> __device__ int Loader<int>::at(const int *p, int i) { return i * 4; }
template <> __device__ int Loader<float>::at(const float *p, int i) { return i * 2; }
//@ launch r51_special_w6 grid=(2) block=(64) args(a=f32[65536], d=i32[65536])
__global__ void r51_special_w6(float *a, int *d) {
  int t = threadIdx.x;
  a[Loader<float>::at(a, t)] = 1;
  d[Loader<int>::at(d, t)] = 1;
}
