// A function by its name alone: the type of the pointer that it turns into says which of several it is.
typedef int (*at_t)(float);
typedef int (*at_d)(double);
typedef int (*by_int)(int);
__device__ int at(int t) { return t; }
__device__ int at(float t) { return (int)t * 8; }
template <class T> __device__ int by(T t) { return (int)t * (int)sizeof(T); }
template <int D, class T> __device__ int by2(T t) { return (int)t * D * (int)sizeof(T); }
template <int D> __device__ int scaled(int t) { return t * D; }
template <int D = 5> __device__ int five(int t) { return t * D; }
template <class F> __device__ int call(F f, int t) { return f(t); }
__device__ int call2(at_t f, int t) { return f(t); }
template <int D> __device__ int call3(by_int f, int t) { return f(t); }
template <int D, class F> __device__ int call4(F f, int t) { return f(t); }
template <int D> __device__ by_int pick() { return scaled<D>; }
template <int (*f)(float)> __device__ int of_pointer(int t) { return f(t); }
template <by_int f> __device__ int of_alias(int t) { return f(t); }
template <int K> constexpr __device__ by_int chosen() {
  switch (K) {
  case 2:
    return scaled<3>;
  default:
    return five<7>;
  }
}
template <int D> __global__ void k(float *a, int n) {
  int t = threadIdx.x;
  a[call3<8>(scaled<D>, t)] = 6;
  a[call4<8>(scaled<D>, t)] = 7;
  a[call4<8>(pick<4>(), t)] = 8;
  by_int m = pick<16>();
  a[m(t)] = 9;
  a[of_alias<five<2>>(t)] = 11;
  a[of_alias<scaled<D * 2>>(t)] = 12;
  constexpr by_int o = chosen<D>();
  a[o(t)] = 13;
  by_int p = n > 2 ? scaled<1> : scaled<8>;
  a[p(t)] = 14;
  by_int q = n ? pick<2>() : pick<16>();
  a[q(t)] = 15;
}
__global__ void q(float *a) {
  int t = threadIdx.x;
  at_t f = at;
  a[f(t)] = 1;
  at_d g = by;
  a[g(t)] = 2;
  at_d l = by2<2>;
  a[l(t)] = 3;
  a[call2(at, t)] = 4;
  a[call<at_t>(at, t)] = 5;
  a[of_pointer<at>(t)] = 10;
}
int main() {
  float *a;
  cudaMalloc(&a, 65536);
  k<2><<<1, 64>>>(a, 0);
  k<1><<<1, 64>>>(a, 3);
  q<<<1, 64>>>(a);
}
