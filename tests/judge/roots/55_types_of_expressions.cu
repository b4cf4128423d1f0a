#include <cstddef>
#include <type_traits>
// Types of bit-fields in arithmetic, of calls, of strings and of `nullptr`.
template <class T> struct Number { static constexpr int v = 1; };
template <> struct Number<int> { static constexpr int v = 2; };
template <> struct Number<unsigned> { static constexpr int v = 3; };
template <class T> struct Kind { static constexpr int v = 1; };
template <class T> struct Kind<T &> { static constexpr int v = 2; };
template <class T> struct Kind<const T &> { static constexpr int v = 4; };
template <class T, int N> struct Kind<T (&)[N]> { static constexpr int v = N; };
struct Q {
  unsigned f : 3;
  unsigned g : 32;
  int a;
  __device__ int &n() { return a; }
  __device__ const int &c() const { return a; }
};
template <int N> __device__ int length(const char (&)[N]) { return N; }
template <class T> __device__ int bytes(const T &x) { return sizeof(x); }
//@ launch r55_types grid=(1) block=(32) args(a=f32[65536], n=?6)
__global__ void r55_types(float *a, int n) {
  int t = threadIdx.x;
  Q q{1, 2, 3};
  a[t * Number<decltype(q.f + 1)>::v] = 1;
  a[t * Number<decltype(q.g + 1)>::v] = 1;
  a[t * Number<decltype(+q.f)>::v] = 1;
  a[t * Number<decltype(q.f << 1)>::v] = 1;
  a[t * Kind<decltype(q.n())>::v] = 1;
  a[t * Kind<decltype(q.c())>::v] = 1;
  a[t * length("ab")] = 1;
  a[t * bytes("abc")] = 1;
  a[t * (std::is_pointer<std::nullptr_t>::value ? 4 : 2)] = 1;
  a[t * (std::is_pointer<decltype(nullptr)>::value ? 4 : 2)] = 1;
  a[t * (std::is_same<int &, int &&>::value ? 4 : 2)] = 1;
}
