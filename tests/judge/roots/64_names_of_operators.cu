// Operators called by their names, and unary operators that give references.
//@ launch named grid=(2) block=(32) args(a=f32[65536], n=?5)
struct S {
  int p, q;
  __device__ int &operator+() { q += 1; return p; }
  __device__ S &operator-() { p += 1; return *this; }
  __device__ int operator()(int i) { return i * 3 + q; }
  __device__ int operator[](int i) const { return i * 2; }
  __device__ int use(int i) { return operator()(i) + operator[](i); }
};
__device__ int operator!=(const S &a, int b) { return a.q + b; }
__device__ S &operator+=(S &a, int b) { a.q += b; return a; }
__device__ int operator<(const S &a, int b) { return a.q + b; }
__device__ bool operator!(S &a) { a.q++; return a.q > 3; }
__global__ void named(float *a, int n) {
  int t = threadIdx.x;
  S s{1, 2};
  +s = 5;
  a[t * s.p] = 1;
  (-s).q++;
  (-s).p += 2;
  a[t * s.p] = 1;
  a[t * s.q] = 1;
  (+s)++;
  a[t * s.p] = 1;
  a[s.use(t)] = 1;
  int z = operator!=(s, 2);
  a[t * z] = 1;
  operator+=(s, 3);
  a[t * s.q] = 1;
  operator += (s, 3).q = 4;
  a[t * s.q] = 1;
  a[t * (operator<(s, 3) + 2)] = 1;
  if (!s) a[t * s.q] = 1;
  if (!s && !s) a[t * s.q] = 1;
  int *r = &+s;
  *r = 7;
  a[t * s.p] = 1;
  a[t * ~n % 64 + 64 * t] = 1;
  s.operator-().q = 11;
  a[t * s.q] = 1;
}
