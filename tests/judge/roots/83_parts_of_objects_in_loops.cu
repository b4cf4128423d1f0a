// Parts of local objects are variables, but where something else may write them.
struct It {
  float *p;
  int i;
  short h[2];
  __device__ void next(int by) { p += by; i += 2; }
  __device__ int *at() { return &i; }
};
union Bits { int i; unsigned u; short s[2]; };
struct Two { int a, b; };
__device__ void bump(int *x) { *x += 3; }
__device__ void swap(int **x, int **y) { int *z = *x; *x = *y; *y = z; }
template <class T> __device__ void advance(T **p, int by) { *p += by; }
//@ launch r83_members grid=(2) block=(32) args(a=f32[65536], n=?4)
__global__ void r83_members(float *a, int n) {
  It it{a, 1, {1, 2}};
  for (int k = 0; k < (n & 3); k++) { it.next(33); it.p[threadIdx.x * it.i] = 1; }
}
//@ launch r83_through_a_member_pointer grid=(2) block=(32) args(a=f32[65536], n=?4)
__global__ void r83_through_a_member_pointer(float *a, int n) {
  It it{a, 1, {1, 2}};
  for (int k = 0; k < 3; k++) { *it.at() += 1; bump(&it.i); a[threadIdx.x * it.i] = 1; }
}
//@ launch r83_chosen_object grid=(2) block=(32) args(a=f32[65536], n=?4)
__global__ void r83_chosen_object(float *a, int n) {
  Two x{1, 2}, y{3, 4};
  for (int k = 0; k < 3; k++) {
    Two &z = n > k ? x : y;
    z.a += 2;
    a[threadIdx.x * x.a + y.a] = 1;
  }
}
//@ launch r83_read_as_another grid=(2) block=(32) args(a=f32[65536], n=?4)
__global__ void r83_read_as_another(float *a, int n) {
  Bits b;
  b.i = 0x20001;
  for (int k = 0; k < 3; k++) { b.s[0] += 1; a[threadIdx.x * (b.u & 7) + b.s[1]] = 1; b.i += 0x10000; }
}
//@ launch r83_swapped grid=(2) block=(32) args(a=f32[65536], n=?4)
__global__ void r83_swapped(float *a, int n) {
  int u = 1, v = 2;
  int *p = &u, *q = &v;
  for (int k = 0; k < (n & 3); k++) { swap(&p, &q); *p += 4; }
  a[threadIdx.x * u] = 1;
  a[threadIdx.x * v + 512] = 1;
  a[threadIdx.x * *p] = 1;
}
//@ launch r83_subscripts grid=(2) block=(32) args(a=f32[65536], n=?4)
__global__ void r83_subscripts(float *a, int n) {
  struct { int x[3]; int y; float *p; } s = {{1, 2, 3}, 4, a};
  for (int k = 0; k < 3; k++) { s.x[(k + n) % 3] += 1; s.y += s.x[k]; s.p += s.x[0]; }
  s.p[threadIdx.x * s.y] = 1;
  a[threadIdx.x * s.x[1]] = 1;
}
//@ launch r83_copies grid=(2) block=(32) args(a=f32[65536], n=?4)
__global__ void r83_copies(float *a, int n) {
  Two x{1, 2}, old = x;
  for (int k = 0; k < (n & 3); k++) { old = x; x.a += old.b; x = Two{x.b, x.a}; }
  a[threadIdx.x * x.a] = 1;
  a[threadIdx.x * old.b + 64] = 1;
}
//@ launch r83_narrow grid=(2) block=(32) args(a=f32[65536], n=?4)
__global__ void r83_narrow(float *a, int n) {
  struct { unsigned char c; bool b; signed char d; } s = {250, false, 120};
  for (int k = 0; k < 4; k++) { s.c += 3; s.d += 5; s.b = s.c + 2; }
  a[threadIdx.x * s.c] = 1;
  a[threadIdx.x * (s.d & 15)] = 1;
  a[threadIdx.x * (s.b + 1)] = 1;
}
//@ launch r83_lanes_leave grid=(2) block=(32) args(a=f32[65536], n=?4)
__global__ void r83_lanes_leave(float *a, int n) {
  It it{a, 1, {1, 2}};
  for (int k = 0; k < 6; k++) {
    if (k > threadIdx.x % 3) break;
    it.next(5);
    if (threadIdx.x & 1) continue;
    advance(&it.p, 2);
  }
  it.p[threadIdx.x * it.i] = 1;
}
//@ launch r83_objects_anew grid=(2) block=(32) args(a=f32[65536], n=?4)
__global__ void r83_objects_anew(float *a, int n) {
  for (int k = 0; k < 3; k++) {
    It it{a + k, k, {1, 2}};
    it.next(k + 1);
    float *const *held = &it.p;
    it.next(1);
    (*held)[threadIdx.x * it.i] = 1;
  }
}
//@ launch r83_recycled grid=(2) block=(32) args(a=f32[65536], n=?4)
__global__ void r83_recycled(float *a, int n) {
  int x = 1, y = 5, *p = &x;
  for (int k = 0; k < 3; k++) { *p += 2; if (k == n % 2) p = &y; }
  a[threadIdx.x * x] = 1;
  a[threadIdx.x * y] = 1;
}
//@ launch r83_packed grid=(2) block=(32) args(a=f32[65536], n=?4)
__global__ void r83_packed(float *a, int n) {
  long long w = 0;
  for (int k = 0; k < 4; k++) { ((int *)&w)[k & 1] += k + 1; }
  a[threadIdx.x * (int)(w >> 32)] = 1;
  a[threadIdx.x * (int)w] = 1;
}
