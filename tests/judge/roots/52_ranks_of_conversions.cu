// Overloads are ranked argument by argument, and what no conversion reaches takes no part.
struct Text { int n; __device__ Text(const char *) : n(1) {} };
struct Base { int x; };
struct Other { int y; };
struct Derived : Base { int z; };
struct Number { int v; __device__ operator int() const { return v; } };
struct Guarded { int v; __device__ explicit operator int() const { return v; } };
struct Aggregate { int q = 1; };
enum Plain { ONE = 1, SIX = 6 };
__device__ int both(float, float, int) { return 2; }
__device__ int both(long, long, long) { return 3; }
__device__ int flag(bool) { return 2; }
__device__ int flag(Text) { return 3; }
__device__ int base(Other *, int) { return 2; }
__device__ int base(Base *, long) { return 3; }
__device__ int zero(int *, int) { return 2; }
__device__ int zero(double, double) { return 3; }
__device__ int bound(int &) { return 2; }
__device__ int bound(double) { return 3; }
__device__ int writes(float &) { return 2; }
template <class T> __device__ int writes(const T &) { return 3; }
__device__ int pack(int, int) { return 2; }
template <class... T> __device__ int pack(T...) { return 3; }
__device__ int dots(int *) { return 2; }
__device__ int dots(...) { return 5; }
__device__ int real(double, double) { return 2; }
__device__ int real(...) { return 5; }
__device__ int made(Aggregate) { return 2; }
__device__ int made(...) { return 5; }
__device__ int wide(Plain) { return 2; }
__device__ int wide(...) { return 5; }
template <class T> __device__ int pointed(T) { return 2; }
__device__ int pointed(int *) { return 5; }
__device__ int any(int *) { return 5; }
__device__ int any(const void *) { return 3; }
//@ launch r52_ranks grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_ranks(float *a) {
  int t = threadIdx.x;
  short s = 1;
  int i = 2;
  float f = 1;
  const float cf = 2;
  const int ci = 1;
  Derived d;
  Number n{3};
  Guarded g{4};
  const int *p = &i;
  a[t * both(i, i, s)] = 1;
  a[t * flag("x")] = 1;
  a[t * base(&d, 1)] = 1;
  a[t * zero(i, 1)] = 1;
  a[t * bound('a')] = 1;
  a[t * bound(1)] = 1;
  a[t * bound(ci)] = 1;
  a[t * bound(i)] = 1;
  a[t * writes(f)] = 1;
  a[t * writes(cf)] = 1;
  a[t * writes(f + 1)] = 1;
  a[t * pack(1.5, 2.5)] = 1;
  a[t * pack(1, 2)] = 1;
  a[t * pack(1, 2.f)] = 1;
  a[t * dots(t)] = 1;
  a[t * dots(1.f)] = 1;
  a[t * dots(a)] = 1;
  a[t * dots(p)] = 1;
  a[t * dots(&i)] = 1;
  a[t * real(g, 1)] = 1;
  a[t * real(n, 1)] = 1;
  a[t * real(f, i)] = 1;
  a[t * made(1)] = 1;
  a[t * made(Aggregate{})] = 1;
  a[t * wide(1.f)] = 1;
  a[t * wide(ONE)] = 1;
  a[t * pointed(&i)] = 1;
  a[t * pointed(&ci)] = 1;
  a[t * pointed(p)] = 1;
  a[t * any(p)] = 1;
  a[t * any(&i)] = 1;
  a[t * any(&ci)] = 1;
}
