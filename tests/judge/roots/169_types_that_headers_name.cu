// What a class of the standard library calls `value_type` is not always its first argument, and may be any type.
#include <array>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>
template <class T> struct Number {
  static constexpr int v = 4;
};
template <> struct Number<int> {
  static constexpr int v = 1;
};
template <> struct Number<float> {
  static constexpr int v = 2;
};
template <> struct Number<short> {
  static constexpr int v = 3;
};
template <> struct Number<const int> {
  static constexpr int v = 5;
};
template <class It> __global__ void k(It in, float *a) {
  using T = typename std::iterator_traits<It>::value_type;
  __shared__ T s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  a[t] = s[63 - t];
  a[(sizeof(T) == 4 ? 2 : 1) * t] = 1;
  a[Number<T>::v * t] = 1;
}
//@ launch q grid=(1) block=(32) args(a=f32[65536])
__global__ void q(float *a) {
  int t = threadIdx.x;
  a[Number<std::iterator_traits<const float *>::value_type>::v * t] = 1;
  a[Number<std::vector<int>::iterator::value_type>::v * t] = 1;
  a[Number<std::unique_ptr<int>::element_type>::v * t] = 1;
  a[Number<std::tuple_element<1, std::tuple<int, float>>::type>::v * t] = 1;
  a[Number<std::tuple_element_t<0, std::array<int, 2>>>::v * t] = 1;
  a[Number<std::remove_all_extents<int[2][3]>::type>::v * t] = 1;
  a[Number<std::common_type_t<short, short>>::v * t] = 1;
  a[Number<std::make_signed_t<const unsigned>>::v * t] = 1;
  a[(std::is_same<std::pointer_traits<int *>::element_type, int>::value ? 3 : 1) * t] = 1;
  a[sizeof(std::string::value_type) * t] = 1;
}
int main() {
  float *a;
  int *p;
  short *r;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&p, 1 << 20);
  cudaMalloc(&r, 1 << 20);
  k<<<1, 64>>>(p, a);
  k<<<1, 64>>>(r, a);
  return 0;
}
