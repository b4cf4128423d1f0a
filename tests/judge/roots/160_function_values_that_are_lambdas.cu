// A function variable that is assigned made every function value unknown, and the call of a lambda among them wrote
// nothing that it holds by reference.
using Fn = int (*)(int);
__device__ int fives(int x) { return x * 5; }
__device__ int sixes(int x) { return x + 6; }
__device__ int called(Fn f, int x) {
  if (x & 1) f = sixes;
  return f(x);
}
template <typename F> __device__ int twice(F f, int x) { return f(x) + f(x + 1); }

//@ launch held grid=(2) block=(64) args(a=f32[4096], n=3)
__global__ void held(float *a, int n) {
  int t = threadIdx.x, q = 1;
  if (n < 5) {
    auto lambda = [&](int w) {
      if (w > 40) return w;
      q = t & 15;
      return w + 1;
    };
    a[lambda(n)] = 1;
  }
  a[t * q] = 2;
  Fn f = fives;
  a[called(f, t) & 1023] = 3;
}

//@ launch chosen grid=(2) block=(64) args(a=f32[4096], n=3)
__global__ void chosen(float *a, int n) {
  int t = threadIdx.x, q = 1;
  auto plain = [](int w) { return w * 2; };
  auto writes = [&](int w) { q = t & 7; return w; };
  Fn f = plain;
  if (n & 1) f = sixes;
  a[f(t)] = 1;
  a[t * q] = 2;
  a[twice(writes, n) & 63] = 3;
  a[t * q] = 4;
}
