// Which specialisation is the more special one, and patterns that hang on a header or on a function type.
#include <type_traits>
template <class A, class B> struct Two { static constexpr int v = 2; };
template <class A> struct Two<A, A> { static constexpr int v = 3; };
template <class A, class B> struct Two<A *, B *> { static constexpr int v = 4; };
template <class A> struct Two<A *, A *> { static constexpr int v = 5; };
template <class... T> struct List { static constexpr int n = sizeof...(T); };
template <class... T> struct Other {};
template <template <class...> class C, class T> struct Named { static constexpr int v = 2; };
template <class T> struct Named<List, T> { static constexpr int v = 3; };
template <class T, class = void> struct Has { static constexpr int v = 2; };
template <class T> struct Has<T, std::void_t<typename T::type>> { static constexpr int v = 6; };
template <class F> struct Result { static constexpr int v = 2; };
template <class R, class... A> struct Result<R(A...)> { static constexpr int v = 3 + sizeof...(A); };
struct With { using type = short; };
typedef char yes;
struct no { char c[2]; };
template <class T> struct Tests {
  template <class U> static yes test(typename U::type *);
  template <class U> static no test(...);
  static const bool value = sizeof(test<T>(0)) == sizeof(yes);
};
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  a[t * Two<int *, int *>::v] = 1;
  a[t * Two<int *, float *>::v] = 1;
  a[t * Two<int, int>::v] = 1;
  a[t * Named<List, int>::v] = 1;
  a[t * Named<Other, int>::v] = 1;
  a[t * Has<int>::v] = 1;
  a[t * Has<With>::v] = 1;
  a[t * Result<char(int, int)>::v] = 1;
  a[t * (Tests<With>::value ? 4 : 5)] = 1;
}
