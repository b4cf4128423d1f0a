// A fold of one element is that element, no truth value; `(x - ...)` begins at its end, also in constants.
//@ launch ct grid=(1) block=(64) args(a=i32[65536], b=i32[65536], n=?1)
template <class... T> __device__ int all(T... x) { return (int)(... && x); }
template <class... T> __device__ int some(T... x) { return (int)(x || ...); }
template <class... T> __device__ int size(T... x) { return sizeof((x + ...)); }
template <class... T> __device__ int size2(T... x) { return sizeof((... && x)); }
template <class... T> __device__ int size3(T... x) { return sizeof((x + ... + 0LL)); }
template <class... T> __device__ int sub(T... x) { return (x - ...); }
template <class... T> __device__ int subl(T... x) { return (... - x); }
template <class... T> __device__ int subi(T... x) { return (x - ... - 30); }
template <class... T> __device__ int lt(T... x) { return (x < ...); }
template <int... D> struct S { static constexpr int r = (D - ...), l = (... - D), i = (D - ... - 3), j = (3 - ... - D), a = (... && D), d = (D / ...), s = (D << ...); };
__device__ int over(int) { return 3; }
__device__ int over(bool) { return 5; }
__device__ int over(short) { return 7; }
__device__ int over(long long) { return 2; }
template <class... T> __device__ int pick(T... x) { return over((... && x)); }
template <class... T> __device__ int pick2(T... x) { return over((... + x)); }
__global__ void ct(int *a, const int *b, int n) {
  int t = threadIdx.x;
  short h = 3;
  a[t] = b[all(6) * t];
  a[t] = b[all(6, 2) * t];
  a[t] = b[some(6) * t];
  a[t] = b[some(6, 2) * t];
  a[t] = b[size(h) * t];
  a[t] = b[size(h, h) * t];
  a[t] = b[size2(4) * t];
  a[t] = b[size2(4, h) * t];
  a[t] = b[size3(4, h) * t];
  a[t] = b[(sub(10, 3, 2) & 31) * t];
  a[t] = b[(subl(10, 3, 2) & 31) * t];
  a[t] = b[(subi(10, 3, 2) & 31) * t];
  a[t] = b[(lt(10, 3, 2) + 1) * t];
  a[t] = b[(S<10, 3, 2>::r & 31) * t];
  a[t] = b[(S<10, 3, 2>::l & 31) * t];
  a[t] = b[(S<10, 3, 2>::i & 31) * t];
  a[t] = b[(S<10, 3, 2>::j & 31) * t];
  a[t] = b[(S<6>::a & 31) * t];
  a[t] = b[(S<16, 6, 2>::d & 31) * t];
  a[t] = b[(S<1, 1, 1>::s & 31) * t];
  a[t] = b[pick(6) * t];
  a[t] = b[pick(6, 2) * t];
  a[t] = b[pick2(h) * t];
  a[t] = b[pick2(h, h) * t];
  a[t] = b[pick2(h, 2ll) * t];
}
