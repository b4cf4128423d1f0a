// A member that holds a lambda calls that lambda; another lambda of the same text has copies of its own.
template <class F> struct Holds223 {
  F f;
  __device__ int go(int i) const { return f(i); }
};
__device__ auto made223(int k) {
  return [k](int i) { return i * k; };
}
//@ launch r223_lambdas_in_members grid=(2) block=(48) args(a=f32[65536])
__global__ void r223_lambdas_in_members(float *a) {
  int t = threadIdx.x, m = 2;
  auto l = [m](int i) { return m * i; };
  Holds223<decltype(l)> h{l};
  m = 7;
  a[h.go(t)] = 1;
  auto p = made223(3), q = made223(5);
  Holds223<decltype(p)> r{p};
  a[r.go(t) + 1] = 1;
  a[q(t) + 2] = 1;
  int s = 1;
  auto w = [&](int i) { return (s += 2) * i; };
  Holds223<decltype(w)> o{w};
  a[o.go(t) + 3] = 1;
  a[s * t + 4] = 1;
}
