// `(object || ... || xs)`: each step is the user's operator while there is an object, and the built-in one then.
//@ launch r96_folds_that_begin_with_an_object grid=(2) block=(32) args(a=f32[65536], n=?13)
struct R96Sum {
  int v;
};
struct R96Once {
  int v;
};
__device__ R96Sum &operator||(R96Sum &a, int b) {
  a.v = a.v * 2 + b;
  return a;
}
__device__ R96Sum operator&&(const R96Sum &a, int b) { return R96Sum{a.v * 3 + b}; }
__device__ bool operator||(const R96Once &a, int b) { return a.v == b; }
template <class... T>
__device__ int r96_any(R96Sum o, T... x) {
  return (o || ... || x).v;
}
template <class... T>
__device__ int r96_all(R96Sum o, T... x) {
  return (o && ... && x).v;
}
template <class... T>
__device__ int r96_once(R96Once o, T... x) {
  return (o || ... || x);
}
__global__ void r96_folds_that_begin_with_an_object(float *a, int n) {
  int t = threadIdx.x;
  a[t * r96_any(R96Sum{1}, 2, 1)] = 1;
  a[t * r96_all(R96Sum{1}, 2, 1, n & 3)] = 1;
  a[t * r96_any(R96Sum{5})] = 1;
  a[t * (1 + r96_once(R96Once{1}, 2, 0))] = 1;
  a[t * (1 + r96_once(R96Once{1}, 2, 5))] = 1;
}
