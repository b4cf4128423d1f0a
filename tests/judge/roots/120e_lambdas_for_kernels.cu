// Lambdas that kernels are handed: each is a type of its own, and holds copies from where it was made.
struct View { float *p; int step; };
template <typename F> __global__ void e120_each(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
template <typename F> __global__ void e120_of_two(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i, threadIdx.x);
}
template <typename F> void run(int n, F f) { e120_each<<<2, 64>>>(n, f); }
template <typename T> void copy(T *to, const T *from, int n, int stride) {
  run(n, [=] __device__ (int i) { to[i] = from[i * stride]; });
  auto back = [=] __device__ (int i) { to[i * sizeof(T)] = from[i]; };
  run(n, back);
}
template <typename F> void twice(float *a, int n, F f) {
  const int wide = 3;
  int offset = 8;
  auto outer = [=] __device__ (int i) { a[i * wide + offset] = f(i); };
  offset = 64;
  run(n, outer);
}
template <typename F> void outside(float *a, int step, const F &f) {
  run(100, [=] __device__ (int i) { a[f(i)] = 1; a[i * step] = 2; });
}
struct Holder {
  float *mine;
  int n;
  void go(float *a) {
    auto self = this;
    run(n, [=] __device__ (int i) { a[i * 2] = 1; });
  }
};
int main() {
  float *a, *b; double *c, *d;
  cudaMalloc(&a, 1 << 20); cudaMalloc(&b, 1 << 20); cudaMalloc(&c, 1 << 20); cudaMalloc(&d, 1 << 20);
  copy(a, b, 100, 4);
  copy(c, d, 100, 1);
  int k = 5;
  twice(a, 120, [=] __device__ (int i) { return b[i * k]; });
  View v{b + 3, 2};
  auto view = [v] __device__ (int i, int t) { v.p[i * v.step] = t; };
  e120_of_two<<<3, 32>>>(90, view);
  float *moved = a + 1;
  e120_of_two<<<3, 32>>>(96, [moved, k] __device__ (int i, int t) { moved[i] = k; });
  int count = 0;
  auto changing = [=] __device__ (int i) mutable { count += 1; a[i * count] = 2; };
  run(64, changing);
  outside(b + 1, 6, [=] __device__ (int i) { return i * k; });
  auto within = [=] __device__ (int i) { return i * k; };
  run(64, [=] __device__ (int i) mutable { b[within(i) + 1] = 1; moved[i * 7] = 2; });
  Holder h{a, 64};
  h.go(b);
  return 0;
}
