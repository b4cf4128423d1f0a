// What is declared after the place where a name stands is not meant there.
__device__ int f(double) { return 2; }
template <class T> __device__ int by_template(T v) { return f(v); }
struct In {
  template <class T> __device__ int m(T v) { return f(v); }
  __device__ int n(int v) { return f(v); }
};
__device__ int plain(int v) { return f(v); }
__device__ int later(int v);
__device__ int calls(int v) { return later(v); }
__device__ int f(int) { return 3; }
__device__ int later(int v) { return v + 4; }
struct Tagged {
  int v;
  __device__ operator double() const { return 1; }
};
template <class T> __device__ int brought_in(T v) { return f(v); }
__device__ int f(Tagged g) { return g.v; }
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  a[t * by_template(1)] = 1;
  a[t * In().m(1)] = 1;
  a[t * In().n(1)] = 1;
  a[t * plain(1)] = 1;
  a[t * calls(1)] = 1;
  a[t * f(1)] = 1;
  a[t * brought_in(Tagged{6})] = 1;
}
