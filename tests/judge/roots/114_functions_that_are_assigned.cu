// A variable that holds a function may get another one through a reference or a pointer, and so may a parameter.
typedef int (*R114)(int);
__device__ int r114_double(int x) { return x * 2; }
__device__ int r114_triple(int x) { return x * 3; }
__device__ void r114_swap(R114 &a, R114 &b) {
  R114 c = a;
  a = b;
  b = c;
}
__device__ void r114_set(R114 *to, R114 f) { *to = f; }
__device__ void r114_set_first(R114 *to, R114 f) {
  R114 own = f;
  to[0] = own;
}
__device__ int r114_some(R114 f, int x) {
  if (x > 3)
    f = r114_triple;
  return f(x);
}
__device__ int r114_later(R114 f, int x) {
  int r = 0;
  for (int i = 0; i < 2; ++i) {
    r = f(x);
    f = r114_triple;
  }
  return r;
}
//@ launch r114_by_reference grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r114_by_reference(float *a, int n) {
  int t = threadIdx.x;
  R114 x = r114_double, y = r114_triple;
  r114_swap(x, y);
  a[x(t)] = 1;
  R114 &z = y;
  z = r114_triple;
  a[y(t)] = 1;
}
//@ launch r114_by_pointer grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r114_by_pointer(float *a, int n) {
  int t = threadIdx.x;
  R114 x = r114_double, y = r114_double, z = r114_double;
  r114_set(&x, r114_triple);
  a[x(t)] = 1;
  r114_set_first(&y, r114_triple);
  a[y(t)] = 1;
  R114 *p = &z;
  *p = r114_triple;
  a[z(t)] = 1;
}
//@ launch r114_parameters grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r114_parameters(float *a, int n) {
  int t = threadIdx.x;
  a[r114_some(r114_double, t)] = 1;
  a[r114_later(r114_double, t)] = 1;
}
//@ launch r114_state grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r114_state(float *a, int n) {
  int t = threadIdx.x;
  auto count = [k = 2](int x) mutable { return x * k++; };
  auto *p = &count;
  (*p)(1);
  a[count(t)] = 1;
}
