// What functions, lambdas and destructors write on the way, in order.
template <class F> __device__ void each(int n, F f) { for (int i = 0; i < n; ++i) f(i); }
template <class F> __device__ void eachR(int n, const F &f) { for (int i = 0; i < n; ++i) f(i); }
struct Sum { int *p; __device__ void operator()(int i) const { *p += i; } };
struct Box { int v; template <class F> __device__ Box &with(F f) { f(*this); return *this; } __device__ Box &add(int k) { v += k; return *this; } };
template <class A, class B> struct Compose { A a; B b; __device__ int operator()(int x) const { return a(b(x)); } };
template <class A, class B> __device__ Compose<A, B> compose(A a, B b) { return {a, b}; }
struct Guard { int &r; int v; __device__ Guard(int &r, int v) : r(r), v(r) { r = v; } __device__ ~Guard() { r = v; } };
__device__ int bump(int &x) { return x++; }
__device__ int pick(int a, int b) { return b; }
//@ launch k grid=(2) block=(64) args(a=f32[65536], n=?3)
__global__ void k(float *a, int n) {
  int t = threadIdx.x, x = 1;
  each(3, [&](int i) { x += i; }); a[t * x] = 1;
  eachR(2, [&x](int i) { x += i; }); a[t * x] = 1;
  each(2, Sum{&x}); a[t * x] = 1;
  Box b{1}; b.with([](Box &o) { o.v = 4; }).add(2); a[t * b.v] = 1;
  int c = 0; b.with([&c](Box &o) { c = o.v; }); a[t * c] = 1;
  auto f = compose([](int x) { return x + 1; }, [&](int y) { c = 3; return y * 2; }); a[t * f(2)] = 1; a[t * c] = 1;
  int g = 2; { Guard gd(g, 5); a[t * g] = 1; } a[t * g] = 1;
  int h = 1; int i = bump(h) + 3; a[t * i] = 1; a[t * h] = 1;
  int j = 1; a[t * pick(bump(j), 4)] = 1; a[t * j] = 1;
  int k2 = 1; if (bump(k2) == 1 && bump(k2) == 2) a[t * k2] = 1; a[t * k2] = 1;
  int l = 1; (void)sizeof(bump(l)); a[t * l] = 1; decltype(bump(l)) q = 5; a[t * (l + q)] = 1;
  int m[2] = {1, 2}; int o = 0; m[o++] = 5; a[t * m[0]] = 1; a[t * (o + 1)] = 1; 
  int p = 1; p = p++ + 2; a[t * p] = 1; 
  int r = 1; auto lam = [r = bump(r)]() { return r; }; a[t * (lam() + r)] = 1;
  int s = 1; for (int u = 0; u < 2; bump(s), ++u) {} a[t * s] = 1;
  int v = 4; while (v > 2 && [&] { --v; return true; }()) {} a[t * v] = 1;
  int w = 1; switch ([&] { w = 3; return 2; }()) { case 2: a[t * w] = 1; break; default: a[t] = 1; }
  int y = 1; int z[] = {bump(y), bump(y), bump(y)}; a[t * z[2]] = 1; a[t * y] = 1;
  int aa = 1; auto pr = [&]() -> int & { return aa; }; pr() = 6; a[t * aa] = 1; pr()++; a[t * aa] = 1; auto &ra = pr(); ra = 2; a[t * aa] = 1;
  int bb = 1; auto gen = [&](auto v) { bb = sizeof(v); }; gen('a'); a[t * bb] = 1; gen(1.0); a[t * bb] = 1;
  int cc = 1; auto cl = [cc] { return cc; }; cc = 5; a[t * cl()] = 1; auto cr = [&cc] { return cc; }; cc = 3; a[t * cr()] = 1;
}
