// Template arguments in the middle of a path compare nothing.
template <class T> struct X { template <int N> struct In { static constexpr int v = N; template <int M> static __device__ int g(int t) { return t * M; } }; template <class U, int N> struct In2 { static constexpr int v = N + sizeof(U); }; template <int N> static __device__ int f(int t) { return t * N; } template <int N> static constexpr int w = N; };
//@ launch r52_path_1 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_path_1(float *a) {
  int t = threadIdx.x;
  a[t * X<int>::In<3>::v] = 1;
  a[t * X<int>::In<2>::v + 1] = 1;
  a[t * (X<int>::In<2>::v)] = 1;
  a[X<int>::f<4>(t)] = 1;
  a[X<int>::In<4>::g<3>(t)] = 1;
  a[t * X<int>::In2<float, 4>::v] = 1;
  a[t * X<int>::w<4>] = 1;
  X<int>::In<5> o;
  a[t * o.v] = 1;
  using XI = X<int>;
  a[t * XI::In<6>::v] = 1;
  int y = X<int>::In<3>::v;
  a[t * y] = 1;
  if (X<int>::In<3>::v > 2) a[t * 2] = 1;
  constexpr int z = X<int>::In<3>::v * X<X<int>>::In<2>::v;
  a[t * z] = 1;
}
template <class T> struct Y { static constexpr int k = X<int>::In<3>::v; template <int N> static __device__ int m(int t) { return t * X<T>::template In<N>::v; } };
//@ launch r52_path_2<float> grid=(2) block=(64) args(a=f32[65536])
template <class T> __global__ void r52_path_2(float *a) {
  int t = threadIdx.x;
  a[t * X<int>::In<3>::v] = 1;
  a[t * X<T>::template In<3>::v] = 1;
  a[t * Y<T>::k] = 1;
  a[Y<T>::template m<4>(t)] = 1;
  typename X<T>::template In<7> o;
  a[t * o.v] = 1;
}
