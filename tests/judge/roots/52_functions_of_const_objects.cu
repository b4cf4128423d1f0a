// Member functions are chosen by what they are called with: `const` or not, with a name or without.
struct F { int k; __device__ int operator()(int t) const { return t * 2; } __device__ int operator()(int t) { return t * 4; } };
struct R { int k; __device__ int m(int t) & { return t * 2; } __device__ int m(int t) && { return t * 4; } __device__ int m(int t) const & { return t * 3; } };
__device__ int by_const(const F &f, int t) { return f(t); }
__device__ int by_ref(F &f, int t) { return f(t); }
__device__ int by_val(F f, int t) { return f(t); }
template <class T> __device__ int by_fwd(T &&f, int t) { return f(t); }
template <class T> __device__ int by_cref(const T &f, int t) { return f(t); }
struct H { F f; __device__ int go(int t) const { return f(t); } __device__ int go2(int t) { return f(t); } };
//@ launch r52_of_objects_1 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_of_objects_1(float *a) {
  int t = threadIdx.x;
  F f{1};
  a[f(t)] = 1;
  const F g{1};
  a[g(t)] = 1;
  a[by_const(f, t)] = 1;
  a[by_ref(f, t)] = 1;
  a[by_val(g, t)] = 1;
  a[by_fwd(f, t)] = 1;
  a[by_fwd(g, t)] = 1;
  a[by_cref(f, t)] = 1;
  a[F{2}(t)] = 1;
  const F *p = &f;
  a[(*p)(t)] = 1;
  const F &r = f;
  a[r(t)] = 1;
  auto c = g;
  a[c(t)] = 1;
  const auto d = f;
  a[d(t)] = 1;
  H h{f};
  a[h.go(t)] = 1;
  a[h.go2(t)] = 1;
  const H hc{f};
  a[hc.f(t)] = 1;
  a[hc.go(t)] = 1;
  a[h.f(t)] = 1;
  F fs[2] = {f, f};
  a[fs[1](t)] = 1;
  const F gs[2] = {f, f};
  a[gs[1](t)] = 1;
}
//@ launch r52_of_objects_2 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_of_objects_2(float *a) {
  int t = threadIdx.x;
  R r{1};
  a[r.m(t)] = 1;
  const R c{1};
  a[c.m(t)] = 1;
  a[R{1}.m(t)] = 1;
  a[static_cast<R &&>(r).m(t)] = 1;
}
struct P { int k; __device__ int v(int t) const { return t * 2; } __device__ int v(int t) { return t * 4; } __device__ int &operator[](int i) { return k; } __device__ int operator[](int i) const { return i * 3; } };
//@ launch r52_of_objects_3 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_of_objects_3(float *a) {
  int t = threadIdx.x;
  P p{3};
  const P q{3};
  a[p.v(t)] = 1;
  a[q.v(t)] = 1;
  a[t * p[0]] = 1;
  a[q[t]] = 1;
  auto l = [=](int i) { return p.v(i); };
  a[l(t)] = 1;
  auto m = [&](int i) { return p.v(i); };
  a[m(t)] = 1;
  auto n = [=](int i) mutable { return p.v(i); };
  a[n(t)] = 1;
}
