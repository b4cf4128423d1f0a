// Operators `&&`, `||` and `,` of the user whose operands have types that only lowering knows, of enumerations, and in folds.
//@ launch chained grid=(2) block=(7,9) args(a=f32[65536], b=f32[65536], d=i32[65536], n=?5, m=?3)
struct Own {
  int p;
  int q;
  short r;
  int u;
  template <class T> friend __device__ Own &operator&&(Own &s, T &o) {
    o += 6;
    return s;
  }
};
struct Parts {
  int q[2];
  int r;
};
__global__ void chained(float *a, const float *b, const int *d, int n, int m) {
  int t = threadIdx.x;
  float v = 1;
    Own o3{1, 3, 6, 1};
    __shared__ int x5[256];
    x5[t] = 33;
    Parts x8{{1, 32}, 1};
    ((o3 && x5[t]) && x8.r).u++;
    a[(o3.u) * (t & 15)] = v;
    a[(x8.r) * (t & 15)] = v;
}
//@ launch folded grid=(2) block=(32) args(a=f32[65536], n=?5)
struct C { int v; };
__device__ C operator&&(C a, C b) { return C{a.v * 10 + b.v}; }
template <class T> __device__ C &operator||(C &a, T b) { a.v += b; return a; }
struct K { int v; template <class T> __device__ K operator,(T o) const { return K{v + 2 * (int)o}; } template <class T> __device__ int operator&&(T o) const { return v + 2 * (int)o; } };
template <class... T> __device__ int all(T... t) { return (t && ...).v; }
template <class... T> __device__ int last(T... t) { return (t , ...).v; }
__device__ int side(int &x) { x++; return x; }
template <class T> __device__ auto same(T t) { return t; }
__global__ void folded(float *a, int n) {
  int t = threadIdx.x;
  C x{1}, y{2}, z{3};
  a[t * (x && y).v] = 1;
  a[t * all(x, y)] = 1;
  a[t * all(x, y, z) % 1000] = 1;
  ((x || 1) || 2).v++;
  a[t * x.v] = 1;
  K k{1};
  a[t * ((k, 2), 3).v] = 1;
  a[t * last(k, 1, 2)] = 1;
  a[t * (same(k) && 3)] = 1;
  int q = 1;
  if ((same(q) && side(q)) || side(q)) { a[t * q] = 1; }
  if ((same(n) > 1000000 && side(q)) || side(q)) { a[t * q] = 1; }
  for (int i = 0; (k, i).v < 12; i++) a[t * i] = 1;
}
//@ launch enumerated grid=(2) block=(32) args(a=f32[65536], n=?5)
enum E { e0, e1, e2 };
__device__ int operator&&(E a, E b) { return 2 + a + b; }
__device__ int operator,(E a, E b) { return 3 + a + b; }
__device__ int operator&&(float4 a, int b) { return 2 + b; }
template <class... T> __device__ int all_of(T... t) { return (t && ...); }
__global__ void enumerated(float *a, int n) {
  int t = threadIdx.x;
  E x = e1, y = e2;
  a[t * (x && y)] = 1;
  a[t * (x , y)] = 1;
  float4 f = make_float4(1, 2, 3, 4);
  a[t * (f && 3)] = 1;
  a[t * all_of(x, y)] = 1;
}
