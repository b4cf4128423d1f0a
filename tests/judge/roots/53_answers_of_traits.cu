// What traits say of enumerations, functions, arrays and names of headers.
#include <type_traits>
enum Plain { A, B };
enum class Scoped { C };
template <class T, class U> struct Same { static constexpr int v = 5; };
template <class T> struct Same<T, T> { static constexpr int v = 4; };
template <class T> __device__ int kind(T) {
  if constexpr (std::is_same<T, int>::value) return 3;
  else if constexpr (std::is_enum<T>::value) return 6;
  else return 5;
}
template <class T> __device__ int written(T &) { return std::is_const_v<T> ? 3 : 4; }
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  a[t * (std::is_same<Plain, int>::value ? 4 : 5)] = 1;
  a[t * Same<Scoped, int>::v] = 1;
  a[t * Same<Scoped, Plain>::v] = 1;
  a[t * Same<Plain, Plain>::v] = 1;
  a[t * (std::is_integral_v<Plain> ? 4 : 5)] = 1;
  a[t * (std::is_arithmetic<Scoped>::value ? 4 : 5)] = 1;
  a[t * kind(A)] = 1;
  a[t * kind(Scoped::C)] = 1;
  a[t * kind(1)] = 1;
  a[t * (std::is_same_v<int(int), int(char)> ? 4 : 5)] = 1;
  a[t * (std::is_same_v<std::underlying_type_t<Plain>, unsigned> ? 4 : 5)] = 1;
  a[t * std::extent_v<int[4][5], 1>] = 1;
  a[t * (std::extent_v<int[4][5], 2> + 3)] = 1;
  const int ar[2] = {};
  a[t * written(ar)] = 1;
}
