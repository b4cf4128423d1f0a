// `f(T)` is more special than `f(T...)`, and an object that may be changed suits a `const` function worse.
template <class... T>
__device__ int r146_first(T...) {
  return 1;
}
template <class T>
__device__ int r146_first(T) {
  return 2;
}
template <class T>
__device__ int r146_last(T) {
  return 2;
}
template <class... T>
__device__ int r146_last(T...) {
  return 1;
}
template <class T>
__device__ int r146_sum(T x) {
  return x;
}
template <class T, class... R>
__device__ int r146_sum(T x, R... rest) {
  return x * 2 + r146_sum(rest...);
}
//@ launch r146_packs grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r146_packs(float *a, int n) {
  int t = threadIdx.x;
  a[t * r146_first()] = 1;
  a[t * r146_first(1)] = 1;
  a[t * r146_first(1, 2)] = 1;
  a[t * r146_last()] = 1;
  a[t * r146_last(1)] = 1;
  a[t * r146_last(1, 2)] = 1;
  a[t * r146_sum(1, 1, 1)] = 1;
}
struct R146 {
  template <class T>
  __device__ int g(T) {
    return 4;
  }
  template <class T>
  __device__ int g(T *) const {
    return 6;
  }
  __device__ int at(int) { return 2; }
  __device__ int at(int) const { return 3; }
};
//@ launch r146_objects grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r146_objects(float *a, int n) {
  int t = threadIdx.x;
  R146 q;
  const R146 &c = q;
  a[t * q.g(&q)] = 1;
  a[t * q.g(n)] = 1;
  a[t * c.g(&q)] = 1;
  a[t * q.at(1)] = 1;
  a[t * c.at(1)] = 1;
}
