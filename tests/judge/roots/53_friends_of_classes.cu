// Functions that classes define as friends: only arguments of the class bring them in.
struct Any {
  int x;
  __device__ Any(int x) : x(x) {}
  template <class T> __device__ Any(const T &o) : x(o.x * 10) {}
};
template <class T> struct Pair {
  T x, y;
  __device__ Pair &operator+=(const Pair &o) { x += o.x; y += o.y; return *this; }
  __device__ friend Pair operator+(Pair l, const Pair &r) { l += r; return l; }
  friend __device__ Pair operator*(T k, Pair v) { return {k * v.x, k * v.y}; }
  friend __device__ int dot(const Pair &l, const Pair &r) { return l.x * r.x + l.y * r.y; }
  friend __device__ Pair operator-(const Pair &v) { return {-v.x, -v.y}; }
  template <class U> friend __device__ int scaled(const Pair &l, U k) { return l.y * k; }
};
template <class T> struct Minus {
  friend __device__ T operator-(T l, const T &r) { l.x -= r.x; return l; }
  friend __device__ int size(const T &q) { return q.x; }
};
struct Number : Minus<Number> {
  int x;
  __device__ Number(int x) : x(x) {}
};
__device__ Any operator+(Any l, Any r) { return Any(l.x + r.x); }
__device__ Any operator-(Any l, Any r) { return Any(l.x + r.x); }
__device__ int dot(const Any &, const Any &) { return 1; }
__device__ int size(const Any &) { return 1; }
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  Pair<int> v{1, 2}, w{2, 1};
  auto u = v + w;
  a[t * u.x] = 1;
  auto z = 2 * v;
  a[t * z.y] = 1;
  a[t * dot(v, w)] = 1;
  a[t * scaled(v, 3)] = 1;
  a[t * -(-v).y] = 1;
  Pair<long> o{1, 3};
  a[t * (o + o).y] = 1;
  Number q(5), r(2);
  auto s = q - r;
  a[t * s.x] = 1;
  a[t * size(q)] = 1;
}
