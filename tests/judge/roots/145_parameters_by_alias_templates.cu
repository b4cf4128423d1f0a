// A parameter of an alias template is one of what the alias stands for: its template arguments are deduced from that.
template <class T, T V>
struct R145C {
  static constexpr T value = V;
  constexpr operator T() const { return V; }
};
template <int N>
using R145Int = R145C<int, N>;
template <int A>
__device__ constexpr int operator+(R145Int<A>, int b) {
  return A + b + 1;
}
template <int A>
__device__ int r145_one(R145Int<A>) {
  return A + 1;
}
__device__ int r145_one(int) { return 7; }
template <int A>
__device__ int r145_two(R145Int<A>, int) {
  return A + 1;
}
template <class T>
__device__ int r145_two(T, long) {
  return 6;
}
//@ launch r145_numbers grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r145_numbers(float *a, int n) {
  int t = threadIdx.x;
  R145Int<2> x;
  a[t * (R145Int<3>{} + 1)] = 1;
  a[t * (x + 1)] = 1;
  a[t * r145_one(x)] = 1;
  a[t * r145_one(R145Int<4>{})] = 1;
  a[t * r145_one(3)] = 1;
  a[t * r145_two(x, 1)] = 1;
}
template <class T>
using R145Pointer = T *;
template <class T>
__device__ int r145_kind(R145Pointer<T>) {
  return 2;
}
template <class T>
__device__ int r145_kind(T) {
  return 1;
}
template <class T>
struct R145Box {
  T v;
  __device__ operator T() const { return v; }
};
template <class T>
using R145Boxed = R145Box<T>;
template <class T>
using R145Same = T;
template <class T, class U>
using R145First = T;
template <class T>
__device__ int operator*(R145Boxed<T> a, T b) {
  return a.v * b + 1;
}
template <class T>
__device__ int operator/(const R145Boxed<T> &a, R145Same<T> b) {
  return a.v / b + 1;
}
template <class T>
__device__ int operator%(R145First<R145Box<T>, int> a, int b) {
  return 3;
}
//@ launch r145_types grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r145_types(float *a, int n) {
  int t = threadIdx.x;
  int v = 3;
  a[t * r145_kind(&v)] = 1;
  a[t * r145_kind(v)] = 1;
  R145Box<int> b{2};
  a[t * (b * 3)] = 1;
  a[t * (b / 2)] = 1;
  a[t * (b % 2)] = 1;
}
template <class T, int N>
struct R145Row {
  T d[N];
  __device__ operator T() const { return d[0]; }
};
template <class T, int N = 4>
using R145Four = R145Row<T, N>;
template <class T>
__device__ int operator-(R145Four<T> a, R145Four<T> b) {
  return 6;
}
template <int... I>
struct R145List {};
template <int... I>
using R145Lists = R145List<I...>;
template <int... I>
__device__ int r145_count(R145Lists<I...>) {
  return sizeof...(I);
}
template <class T>
__device__ int r145_count(T) {
  return 7;
}
template <int N>
__device__ int r145_next(R145Row<int, N>, R145Row<int, N + 1>) {
  return N;
}
template <class T>
__device__ int r145_next(T, T) {
  return 5;
}
//@ launch r145_rows grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r145_rows(float *a, int n) {
  int t = threadIdx.x;
  R145Row<int, 4> x{{1, 2, 3, 4}};
  R145Row<int, 3> y{{5}};
  a[t * (x - x)] = 1;
  a[t * (y - y + 1)] = 1;
  a[t * r145_count(R145List<1, 2, 3>{})] = 1;
  a[t * r145_next(y, x)] = 1;
  a[t * r145_next(x, x)] = 1;
}
