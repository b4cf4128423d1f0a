// A call that is not followed reaches what it is given, and what lies behind that; nothing else.
struct Box { int v; int *p; };
struct Two { int a, b; };
__device__ int deep(int *x, int n) { if (n <= 0) { *x += 3; return 1; } return deep(x, n - 1) + 1; }
__device__ int deep_box(Box *b, int n) { if (n <= 0) { *b->p += 5; b->v += 1; return 1; } return deep_box(b, n - 1) + 1; }
__device__ int deep_any(void *b, int n) { if (n <= 0) { ((Box *)b)->p[1] += 2; return 1; } return deep_any(b, n - 1) + 1; }
__device__ int **keep(int **where, int *what, int n) { if (n > 0) return keep(where, what, n - 1); *where = what; return where; }
//@ launch r87_given grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r87_given(float *a, int n) {
  int x = 1, y = 2;
  deep(&x, 2);
  a[threadIdx.x * x] = 1;
  a[threadIdx.x * y] = 1;
}
//@ launch r87_through_a_box grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r87_through_a_box(float *a, int n) {
  int x = 1, y = 2;
  Box b{3, &x}, c{4, &y};
  deep_box(&b, 2);
  a[threadIdx.x * x] = 1;
  a[threadIdx.x * y] = 1;
  a[threadIdx.x * b.v] = 1;
  a[threadIdx.x * c.v] = 1;
  *c.p = 6;
  a[threadIdx.x * y] = 1;
}
//@ launch r87_by_reference grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r87_by_reference(float *a, int n) {
  int x = 1, y = 2, z[2] = {3, 4};
  auto f = [&x, &y](int k) { deep(&x, k); y += 1; };
  for (int k = 0; k < 2; k++) f(k);
  Box b{1, z};
  deep_any(&b, 1);
  a[threadIdx.x * x] = 1;
  a[threadIdx.x * y] = 1;
  a[threadIdx.x * z[1]] = 1;
  a[threadIdx.x * z[0]] = 1;
}
//@ launch r87_kept grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r87_kept(float *a, int n) {
  int x = 1, y = 2;
  int *p = &y;
  keep(&p, &x, 1);
  *p += 7;
  a[threadIdx.x * x] = 1;
  a[threadIdx.x * y] = 1;
  int *q = &y, **r = &q;
  for (int k = 0; k < 2; k++) { **r += 1; if (k == (n & 1)) *r = &x; }
  a[threadIdx.x * y] = 1;
  a[threadIdx.x * x] = 1;
}
//@ launch r87_as_bytes grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r87_as_bytes(float *a, int n) {
  Two t{1, 2}, u;
  for (int k = 0; k < 2; k++) {
    memcpy(&u, &t, sizeof(t));
    t.a += u.b;
    *(reinterpret_cast<int *>(&t) + 1) += 1;
    long long w = 0;
    memcpy(&w, &t, 8);
    t.b += (int)(w & 1);
  }
  a[threadIdx.x * t.a] = 1;
  a[threadIdx.x * t.b] = 1;
  a[threadIdx.x * u.a] = 1;
}
//@ launch r87_by_value grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r87_by_value(float *a, int n) {
  int i = 0, s[4] = {1, 2, 3, 4}, *p = s;
  for (int k = 0; k < 3; k++) { *p++ += i++; s[i] += k; }
  a[threadIdx.x * s[1]] = 1;
  a[threadIdx.x * s[3]] = 1;
  a[threadIdx.x * (int)(p - s)] = 1;
  a[threadIdx.x * i] = 1;
}
