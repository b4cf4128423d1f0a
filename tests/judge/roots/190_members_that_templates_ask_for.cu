#include <type_traits>
#include <utility>
// Whether a template's argument has a member chooses a specialisation, or a function. The path of a value among
// template arguments was taken for the name of a type that is not there; what `decltype` asks for was not known.
namespace own {
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <class...> using void_t = void;
} // namespace own
template <class P, class = void> struct ByValue { static constexpr int value = 0; };
template <class P> struct ByValue<P, std::void_t<decltype(P::WIDE)>> { static constexpr int value = 1 + P::WIDE; };
template <class P, class = void> struct ByOwn { static constexpr int value = 0; };
template <class P> struct ByOwn<P, own::void_t<decltype(P::WIDE)>> { static constexpr int value = 3; };
template <class P, class = void> struct ByType { static constexpr int value = 0; };
template <class P> struct ByType<P, std::void_t<typename P::Kind>> { static constexpr int value = 2; };
template <class P, class = void> struct ByCast { static constexpr int value = 0; };
template <class P> struct ByCast<P, decltype((void)P::WIDE)> { static constexpr int value = 3; };
template <class P, class = void> struct ByField { static constexpr int value = 0; };
template <class P> struct ByField<P, std::void_t<decltype(std::declval<P>().field)>> { static constexpr int value = 4; };
template <class P, class = void> struct ByTest { static constexpr int value = 0; };
template <class P> struct ByTest<P, std::enable_if_t<P::WIDE>> { static constexpr int value = 5; };
template <class P, class = void> struct ByOwnTest { static constexpr int value = 0; };
template <class P> struct ByOwnTest<P, own::enable_if_t<P::WIDE>> { static constexpr int value = 5; };
template <class P, class = void> struct ByMember { static constexpr int value = 0; };
template <class P> struct ByMember<P, typename std::enable_if<P::WIDE>::type> { static constexpr int value = 6; };
template <class P> struct Depth {
  template <class D> static constexpr auto test(int) -> decltype((unsigned)D::Config::DEPTH) { return D::Config::DEPTH; }
  template <class> static constexpr unsigned test(...) { return 2; }
  static constexpr unsigned value = test<P>(0);
};
struct All {
  static constexpr bool WIDE = true;
  typedef int Kind;
  float field;
  struct Config { static constexpr int DEPTH = 4; };
};
struct None {};
struct Off {
  static constexpr bool WIDE = false;
  struct Config {};
};
struct Derived : All {};
enum class Word { WIDE = 1 };
template <class P> __device__ int tell() {
  return ByValue<P>::value + ByType<P>::value * 2 + ByCast<P>::value * 4 + ByTest<P>::value * 8 +
         ByMember<P>::value * 16 + ByOwn<P>::value * 32 + ByOwnTest<P>::value * 64 + (int)Depth<P>::value * 128;
}
//@ launch ask grid=(1) block=(64) args(out=f32[262144])
__global__ void ask(float *out) {
  int t = threadIdx.x;
  out[t * ByValue<All>::value] = 1;
  out[t * ByValue<None>::value] = 1;
  out[t * ByValue<Off>::value] = 1;
  out[t * ByType<All>::value] = 1;
  out[t * ByType<None>::value] = 1;
  out[t * ByCast<All>::value] = 1;
  out[t * ByCast<None>::value] = 1;
  out[t * ByField<All>::value] = 1;
  out[t * ByField<None>::value] = 1;
  out[t * ByTest<All>::value] = 1;
  out[t * ByTest<None>::value] = 1;
  out[t * ByTest<Off>::value] = 1;
  out[t * ByMember<All>::value] = 1;
  out[t * ByMember<None>::value] = 1;
  out[t * ByMember<Off>::value] = 1;
  out[t * (int)Depth<All>::value] = 1;
  out[t * (int)Depth<None>::value] = 1;
  out[t * (int)Depth<Off>::value] = 1;
  out[t * (int)Depth<Derived>::value] = 1;
  out[t * ByValue<Derived>::value] = 1;
  out[t * ByTest<Derived>::value] = 1;
  out[t * ByCast<Word>::value] = 1;
  out[t * ByValue<int>::value] = 1;
  out[tell<All>() * t] = 1;
  out[tell<None>() * t] = 1;
  out[tell<Off>() * t] = 1;
}
template <class P, class = std::void_t<typename P::Kind>> __device__ int named(P, int) { return 3; }
template <class P> __device__ int named(P, long) { return 2; }
template <class P, class = decltype(P::WIDE)> __device__ int valued(P, int) { return 5; }
template <class P> __device__ int valued(P, long) { return 4; }
template <class P> __device__ auto reached(P p, int) -> decltype((void)p.field, 0) { return 7; }
template <class P> __device__ int reached(P, long) { return 6; }
template <class P> __device__ std::enable_if_t<P::WIDE, int> tested(P, int) { return 3; }
template <class P> __device__ int tested(P, long) { return 1; }
template <int N, class = void> struct Size { static constexpr int value = 1; };
template <int N> struct Size<N, std::enable_if_t<(N > 3)>> { static constexpr int value = 2; };
template <class T, class = void> struct Sort { static constexpr int value = 1; };
template <class T> struct Sort<T, std::enable_if_t<std::is_integral<T>::value>> { static constexpr int value = 2; };
template <class T> struct Sort<T, std::enable_if_t<std::is_same<T, float>::value>> { static constexpr int value = 4; };
//@ launch call grid=(1) block=(64) args(out=f32[4096])
__global__ void call(float *out) {
  int t = threadIdx.x;
  out[t * named(All(), 1)] = 1;
  out[t * named(None(), 1)] = 1;
  out[t * valued(All(), 1)] = 1;
  out[t * valued(Off(), 1)] = 1;
  out[t * valued(None(), 1)] = 1;
  out[t * reached(All(), 1)] = 1;
  out[t * reached(None(), 1)] = 1;
  out[t * tested(All(), 1)] = 1;
  out[t * tested(Off(), 1)] = 1;
  out[t * tested(None(), 1)] = 1;
  out[t * Size<3>::value] = 1;
  out[t * Size<4>::value] = 1;
  out[t * Sort<int>::value] = 1;
  out[t * Sort<float>::value] = 1;
  out[t * Sort<double>::value] = 1;
}
