// Types of one width are two: `char` and `signed char`, `long` and `long long`.
template <class T> struct W { static constexpr int v = 1; };
template <> struct W<char> { static constexpr int v = 2; };
template <> struct W<signed char> { static constexpr int v = 4; };
template <> struct W<unsigned char> { static constexpr int v = 8; };
template <> struct W<long> { static constexpr int v = 16; };
template <> struct W<long long> { static constexpr int v = 3; };
template <> struct W<unsigned long> { static constexpr int v = 5; };
template <> struct W<unsigned long long> { static constexpr int v = 6; };
template <> struct W<int> { static constexpr int v = 7; };
//@ launch r52_twins_1 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_twins_1(float *a) {
  int t = threadIdx.x;
  a[t * W<char>::v] = 1;
  a[t * W<signed char>::v] = 1;
  a[t * W<long>::v] = 1;
  a[t * W<long long>::v] = 1;
  a[t * W<unsigned long>::v] = 1;
  a[t * W<unsigned long long>::v] = 1;
  a[t * W<wchar_t>::v] = 1;
  a[t * W<decltype(1L + 1LL)>::v] = 1;
  a[t * W<decltype(1L + 1u)>::v] = 1;
  a[t * W<decltype(1ull + 1L)>::v] = 1;
  a[t * W<decltype(1ul + 1ll)>::v] = 1;
  a[t * W<decltype('a')>::v] = 1;
  a[t * W<decltype(sizeof(int))>::v] = 1;
  a[t * W<size_t>::v] = 1;
  a[t * W<int64_t>::v] = 1;
  a[t * W<int8_t>::v] = 1;
  a[t * W<decltype(clock64())>::v] = 1;
}
__device__ int f(long, int t) { return t * 2; }
__device__ int f(long long, int t) { return t * 4; }
__device__ int f(char, int t) { return t * 3; }
__device__ int f(signed char, int t) { return t * 5; }
__device__ int f(unsigned long, int t) { return t * 6; }
__device__ int f(unsigned long long, int t) { return t * 8; }
//@ launch r52_twins_2 grid=(2) block=(64) args(a=f32[65536], l=3, x=4)
__global__ void r52_twins_2(float *a, long l, long long x) {
  int t = threadIdx.x;
  a[f(1L, t)] = 1;
  a[f(1LL, t)] = 1;
  a[f(l, t)] = 1;
  a[f(x, t)] = 1;
  a[f(l + x, t)] = 1;
  a[f('c', t)] = 1;
  signed char s = 3;
  a[f(s, t)] = 1;
  a[f(sizeof(t), t)] = 1;
  unsigned long long u = t;
  a[f(u, t)] = 1;
  a[f(u + 1, t)] = 1;
  a[f((long)t, t)] = 1;
  a[f(l << 1, t)] = 1;
  a[f(-l, t)] = 1;
  a[f(t ? l : x, t)] = 1;
}
template <class T> __device__ int h(T, int t) { return t * W<T>::v; }
template <class T> __device__ int p(T *, int t) { return t * W<T>::v; }
//@ launch r52_twins_3 grid=(2) block=(64) args(a=f32[65536], l=3, x=4)
__global__ void r52_twins_3(float *a, long l, long long x) {
  int t = threadIdx.x;
  a[h(1L, t)] = 1;
  a[h(l, t)] = 1;
  a[h(x, t)] = 1;
  a[h(l + x, t)] = 1;
  a[h('c', t)] = 1;
  signed char s = 3;
  a[h(s, t)] = 1;
  a[p(&s, t)] = 1;
  a[h(sizeof(t), t)] = 1;
  a[h(&a[3] - a, t)] = 1;
  auto z = l;
  z += 2;
  a[h(z, t)] = 1;
  long q[3] = {1, 2, 3};
  a[h(q[1], t)] = 1;
  for (long long i = 0; i < 3; i++) a[h(i, t)] = 1;
}
