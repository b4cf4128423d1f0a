template <class T, class = void> struct has { static constexpr int v = 1; };
template <class T> T &&declval();
struct Q { __host__ __device__ int f() { return 0; } };
template <class T> struct has<T, decltype(declval<T>().f(), void())> { static constexpr int v = 4; };
template <class T, class = void> struct has2 { static constexpr int v = 1; };
template <class T> struct has2<T, decltype(static_cast<void>(declval<T>().f()), void())> { static constexpr int v = 4; };
struct Yes { static constexpr int v = 2; };
struct No { static constexpr int v = 8; };
Yes test(int *); No test(...);
template <class T> struct is : decltype(test((T *)0)) {};
template <class T> struct both : decltype(test((T *)nullptr)) { int z; };
struct Ar { struct Arguments { int x; }; };
template <class A, class = void> struct hasa { static constexpr int v = 1; };
template <class A> struct hasa<A, decltype(typename A::Arguments(), void())> { static constexpr int v = 4; };
template <class A> constexpr int size(A) { return sizeof(A); }
template <bool B> struct Pick { static constexpr int v = 1; };
template <> struct Pick<true> { static constexpr int v = 4; };
template <class A> __global__ void k(float *a) {
  using P = Pick<size(typename A::Arguments{}) == 4>;
  a[threadIdx.x * P::v] = 0;
}
template <bool... B> struct all { static constexpr int v = 1 + (true && ... && (not B)); };
template <class T> __global__ void k2(float *a) {
  a[threadIdx.x * is<T>::v] = 0;
  a[threadIdx.x * both<T>::v] = 0;
  a[threadIdx.x * has<Q>::v] = 0;
  a[threadIdx.x * has<int>::v] = 0;
  a[threadIdx.x * has2<Q>::v] = 0;
  a[threadIdx.x * hasa<Ar>::v] = 0;
  a[threadIdx.x * hasa<Q>::v] = 0;
  a[threadIdx.x * all<true, false>::v] = 0;
  a[threadIdx.x * all<false, false>::v] = 0;
}
int main() { float *p; cudaMalloc(&p, 1 << 20); k<Ar><<<1, 32>>>(p); k2<int><<<1, 32>>>(p); k2<float><<<1, 32>>>(p); }
