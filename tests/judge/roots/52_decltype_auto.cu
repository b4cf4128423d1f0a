// `decltype(auto)` of a name in parentheses, or of a call, may be another name of what it begins with.
//@ launch r52_decltype_auto_1 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_decltype_auto_1(float *a) {
  int t = threadIdx.x;
  int x = 1;
  decltype(auto) d = (x);
  d = 4;
  a[t * x] = 1;
  decltype(auto) e = x;
  e = 8;
  a[t * x] = 1;
  decltype((x)) g = x;
  g = 2;
  a[t * x] = 1;
  decltype(x) h = x;
  h = 7;
  a[t * x] = 1;
  int y[3] = {1, 2, 3};
  decltype(auto) q = y[1];
  q = 8;
  a[t * y[1]] = 1;
  auto &&r = x;
  r = 16;
  a[t * x] = 1;
  decltype(auto) w = x + 1;
  w = 3;
  a[t * x] = 1;
  struct S { int v; } s{3};
  decltype(auto) m = (s.v);
  m = 5;
  a[t * s.v] = 1;
  decltype(auto) m2 = s.v;
  m2 = 6;
  a[t * s.v] = 1;
  int *p = &x;
  decltype(auto) dp = *p;
  dp = 9;
  a[t * x] = 1;
  decltype(auto) i = ++x;
  i = 3;
  a[t * x] = 1;
  decltype(auto) j = x++;
  j = 5;
  a[t * x] = 1;
}
__device__ decltype(auto) ref(int &x) { return (x); }
__device__ decltype(auto) val(int x) { return x; }
__device__ decltype(auto) idx(int *x) { return x[1]; }
//@ launch r52_decltype_auto_2 grid=(2) block=(64) args(a=f32[65536])
__global__ void r52_decltype_auto_2(float *a) {
  int t = threadIdx.x;
  int x = 1;
  ref(x) = 4;
  a[t * x] = 1;
  a[t * val(x)] = 1;
  int y[2] = {3, 3};
  idx(y) = 5;
  a[t * y[1]] = 1;
  auto l = [](int &v) -> decltype(auto) { return (v); };
  l(x) = 6;
  a[t * x] = 1;
  decltype(auto) z = ref(x);
  z = 7;
  a[t * x] = 1;
}
