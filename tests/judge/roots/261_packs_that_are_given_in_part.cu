// Of a pack of which the first elements are written the rest is deduced, and the arguments are converted to what is written.
template <class... T> __device__ int count261(T...) { return sizeof...(T); }
template <class... T> __device__ int sizes261(T...) { return (0 + ... + static_cast<int>(sizeof(T))); }
template <class... T> __device__ int sum261(T... t) { return (static_cast<int>(t) + ... + 0); }
template <int... N> struct List261 {};
template <int... N> __device__ int all261(List261<N...>) { return (N + ... + 0); }
template <class A, class... T> __device__ int rest261(A, T...) { return sizeof...(T) * 8 + sizeof(A); }
template <class... T> constexpr int fixed261(T...) { return sizeof...(T); }
template <int N> struct Nv261 { static constexpr int v = N; };
__global__ void kernel261(int *a) {
  int t = threadIdx.x;
  a[t * count261<char>(1, 3, 2)] = 1;
  a[t * sizes261<char, char>(1, 2, 2)] = 1;
  a[t * sum261<unsigned char>(258, 1)] = 1;
  a[t * all261<1>(List261<1, 2, 3>())] = 1;
  a[t * rest261<char, short>(1, 2, 3)] = 1;
  a[t * Nv261<fixed261<char>(1, 2, 3)>::v] = 1;
}
