// An operator or conversion of a class reads what its body reads of an object in memory, and writes what it is given by
// reference; nobody reads the whole object.
struct V3 {
  float x, y, z;
  __device__ float operator+(float k) const { return x + k; }
  __device__ float operator-(const V3 &o) const { return o.y; }
  __device__ float operator-() const { return z; }
  __device__ operator float() const { return z; }
  __device__ bool operator<(const V3 &o) const { return x < o.x; }
};
__device__ float operator/(const V3 &a, float k) { return a.x / k; }
struct P {
  int i, j, k;
  __device__ explicit operator bool() const { return k; }
  __device__ bool operator!() const { return j; }
  __device__ P &operator=(const P &o) { i = o.i; return *this; }
  __device__ P &operator++() { ++j; return *this; }
  __device__ const P *operator->() const { return this; }
  __device__ int operator*() const { return k; }
};
struct W {
  float k;
  __device__ W(const V3 &v) : k(v.x) {}
};
__device__ float takes(W w) { return w.k; }
struct S {
  int n;
  __device__ S &operator>>(int &x) { x = n++; return *this; }
  __device__ int operator==(int &x) { x = 5; return 1; }
};
struct F { int n; };
__device__ F &operator>>(F &f, int &x) { x = f.n++; return f; }
__device__ void operator<<(int &x, F &f) { x = f.n; }
//@ launch r57_operators_1 grid=(1) block=(64) args(v=f32[1048576], o=f32[1024])
__global__ void r57_operators_1(V3 *v, float *o) {
  int t = threadIdx.x;
  o[t] = v[t] + 1.f;
  o[t] = v[t] - v[t * 2];
  o[t] = -v[t];
  o[t] = v[t];
  o[t] = v[t] < v[t * 2];
  o[t] = v[t] / 2.f;
  float f = v[t];
  o[t] = f + (float)v[t];
  W w = v[t * 2];
  o[t] = w.k + takes(v[t]);
}
//@ launch r57_operators_2 grid=(1) block=(64) args(v=i32[1048576], o=f32[1024])
__global__ void r57_operators_2(P *v, float *o) {
  int t = threadIdx.x;
  v[t] = v[t + 64];
  ++v[t];
  o[t] = v[t]->j;
  o[t] = *v[t];
  if (v[t]) o[t] = 1;
  if (!v[t]) o[t] = 2;
}
//@ launch r57_operators_3 grid=(1) block=(64) args(a=f32[1048576])
__global__ void r57_operators_3(float *a) {
  int t = threadIdx.x, x = 1, y = 2, z = 1, w = 1;
  S s{3};
  s >> x >> y;
  a[t * x] = 1;
  a[t * y] = 1;
  s == z;
  a[t * z] = 1;
  F f{6};
  f >> w;
  a[t * w] = 1;
  w << f;
  a[t * w] = 1;
}
