// A trait gets its value from a class of the standard library, whose header is not there; a member of its own that is
// called so hides it.
//@ launch k grid=(2) block=(64) args(a=i32[65536], b=i32[65536], n=?7)
#include <type_traits>
template <class T> struct IsH : std::false_type {};
template <> struct IsH<short> : std::true_type {};
template <class T> struct IsH<T *> : IsH<T> {};
template <class T> struct IsI : std::is_integral<T> {};
template <class T> struct Size : std::integral_constant<int, sizeof(T) * 2> {};
template <class T> inline constexpr bool is_h = IsH<T>::value;
struct Own : std::true_type { int value = 6; __device__ int get() const { return value; } };
struct Other : std::true_type { static constexpr int value = 7; };
struct Called : std::true_type { __device__ static int value() { return 9; } __device__ int get() const { return value(); } };
struct Both : Other {};
template <class T> __device__ int f(T) { if constexpr (IsH<T>::value) return 3; else return 5; }
template <class T> __device__ int twice(T x) { return T::value * 2; }
__global__ void k(int *a, const int *b, int n) {
  int t = threadIdx.x;
  a[t] = b[f((short)t) * t];
  a[t] = b[f(t) * t];
  a[t] = b[f((short *)nullptr) * t];
  a[t] = b[(is_h<short> ? 2 : 4) * t];
  a[t] = b[Size<int>::value * t];
  a[t] = b[(IsI<int>::value + IsI<float>::value * 4) * t];
  a[t] = b[Own{}.get() * t];
  a[t] = b[Other::value * t];
  a[t] = b[Called{}.get() * t];
  a[t] = b[Both::value * t];
  a[t] = b[twice(std::integral_constant<int, 3>{}) * t];
  std::integral_constant<unsigned char, 255> big;
  a[t] = b[(big.value + 1) / 64 * t];
}
