// What a specialisation does not write, the template's defaults say; `const int` is not `int`.
template <class T, int K = sizeof(T)> struct Trait50 { static constexpr int v = K; };
template <> struct Trait50<int> { static constexpr int v = 9; };
template <class T> struct Void50 { using type = void; };
template <class T, class = void> struct Has50 { static constexpr int v = 2; };
template <class T> struct Has50<T, typename Void50<typename T::K>::type> { static constexpr int v = 5; };
struct With50 { using K = int; };
__global__ void r50_specialisation(float *a) {
  int t = threadIdx.x;
  a[t * Trait50<int>::v] = 1;
  a[t * Trait50<int, 3>::v] = 2;
  a[t * Trait50<const int>::v] = 3;
  a[t * Has50<With50>::v] = 4;
  a[t * Has50<int>::v] = 5;
}
