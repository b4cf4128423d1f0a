// Objects that hold lambdas: a destructor, a function or an operator of theirs writes what the lambda captured.
//@ launch held grid=(2) block=(64) args(a=f32[65536], n=?100)
template <class F> struct Defer { F f; __device__ ~Defer() { f(); } };
template <class F> __device__ Defer<F> defer(F f) { return {f}; }
template <class F> struct Run { F f; int k; __device__ Run(F g) : f(g), k(1) {} __device__ void go() { f(); } __device__ int val() const { return f(); } };
template <class F> __device__ Run<F> run(F f) { return Run<F>(f); }
template <class F> struct Two { F f; __device__ void operator()(int i) const { f(i); f(i + 1); } };
template <class F> Two(F) -> Two<F>;
__global__ void held(float *a, int n) {
  int t = threadIdx.x;
  int z = 1, y = 1, x = 1, w = 1;
  {
    auto g = defer([&] { z += 4; });
    a[t * z] = 1;
  }
  a[t * z] = 1;
  auto r = run([&] { y += 3; return y; });
  a[t * y] = 1;
  r.go();
  a[t * y] = 1;
  a[t * r.val()] = 1;
  a[t * y] = 1;
  Two two{[&](int i) { x += i; }};
  two(2);
  a[t * x] = 1;
  auto l = [&](int i) { w *= i; };
  Two<decltype(l)> tl{l};
  tl(2);
  a[t * w] = 1;
  struct H { int &r; __device__ void up() { r += 5; } } h{w};
  h.up();
  a[t * w % 512] = 1;
}
