// `struct alignas(16) S {` begins a class as `struct S {` does: `at<2>(i)` in it calls a member template, which a member
// further down declares. It was read as two comparisons.
template <class T, int N> struct alignas(16) Row {
  __device__ T &operator()(int i) { return at<2>(i); }
  __device__ T &twice(int i) { return at<1>(at<0>(0) > T(0) ? i : i + 1); }
  template <int BY> __device__ T &at(int i) { return data[i * BY]; }
  T data[N];
};
struct __align__(8) Plain {
  __device__ int &first() { return get<0>(); }
  template <int I> __device__ int &get() { return v[I]; }
  int v[2];
};
template <class T, int N> struct alignas(16) Grid {
  template <bool TURNED = false> __device__ const T &at(int i) const { return data[TURNED ? N - 1 - i : i]; }
  template <bool TURNED = false> __device__ T &at(int i) { return data[TURNED ? N - 1 - i : i]; }
  __device__ const T &operator()(int i) const { return at<false>(i); }
  __device__ T &operator()(int i) { return at<false>(i); }
  __device__ T &turned(int i) { return at<true>(i); }
  T data[N];
};
struct Given {
  int x;
};
__device__ struct Given made(int n) { Given g{n}; return g; }
//@ launch aligned grid=(1) block=(64) args(out=f32[4096], n=3)
__global__ void aligned(float *out, int n) {
  __shared__ Row<float, 12> rows[64];
  int t = threadIdx.x;
  rows[t](1) = 1;
  rows[t].twice(2) = 2;
  Plain p{{1, 2}};
  p.first() = made(3).x;
  Grid<float, 4> grid;
  grid(1) = n;
  grid.turned(0) = 2;
  __shared__ Grid<int, 4> grids[64];
  grids[t](1) = 1;
  grids[t].turned(1) = 2;
  out[t + (int)grid(1)] = grid(3);
  out[t * p.v[0]] = rows[t ^ 1].data[0];
}
