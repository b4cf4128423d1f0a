// Specialisations ask for `const`, `volatile` and kinds of references.
template <class T> struct W { static constexpr int v = 1; };
template <class T> struct W<const T> { static constexpr int v = 2; };
template <class T> struct W<volatile T> { static constexpr int v = 3; };
template <class T> struct W<T *> { static constexpr int v = 4; };
template <class T> struct W<const T *> { static constexpr int v = 5; };
template <class T> struct W<T &> { static constexpr int v = 6; };
template <class T> struct W<const T &> { static constexpr int v = 7; };
template <class T> struct W<T &&> { static constexpr int v = 8; };
//@ launch r52_qualified_1 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_qualified_1(float *a) {
  int t = threadIdx.x;
  a[t * W<int>::v] = 1;
  a[t * W<const int>::v] = 1;
  a[t * W<volatile int>::v] = 1;
  a[t * W<int *>::v] = 1;
  a[t * W<const int *>::v] = 1;
  a[t * W<int &>::v] = 1;
  a[t * W<const int &>::v] = 1;
  a[t * W<int &&>::v] = 1;
}
template <class T> struct Strip { using type = T; static constexpr int k = 1; };
template <class T> struct Strip<const T> { using type = T; static constexpr int k = 2; };
template <class T> struct Acc { __device__ static int at(int t) { return t * sizeof(typename Strip<T>::type) * Strip<T>::k; } };
template <class T> __device__ int dd(T *p, int t) { return t * Strip<T>::k; }
//@ launch r52_qualified_2 grid=(2) block=(64) args(a=f32[65536], b=f32[65536])
__global__ void r52_qualified_2(float *a, const float *b) {
  int t = threadIdx.x;
  a[Acc<float>::at(t)] = 1;
  a[Acc<const short>::at(t)] = 1;
  typename Strip<const double>::type d = 1;
  a[t * sizeof(d)] = 1;
  a[dd(a, t)] = 1;
  a[dd(b, t)] = 1;
}
template <class T, class U> struct Same { static constexpr int v = 1; };
template <class T> struct Same<T, T> { static constexpr int v = 2; };
template <class T> struct Same<const T, T> { static constexpr int v = 3; };
//@ launch r52_qualified_3 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_qualified_3(float *a) {
  int t = threadIdx.x;
  a[t * Same<int, int>::v] = 1;
  a[t * Same<const int, int>::v] = 1;
  a[t * Same<const int, const int>::v] = 1;
  a[t * Same<int, const int>::v] = 1;
}
