// An array that host functions only read keeps its numbers on the way to a launch; where somebody may write it, it loses them.
#include <cuda_runtime.h>
__global__ void k258(float *p, int s) { p[threadIdx.x * s] = 1; }
static void plain258(const int *d, float *p) { k258<<<1, d[0]>>>(p, d[1]); }
static void sized258(const int d[2], float *p) { k258<<<1, d[0]>>>(p, d[1]); }
static void whole258(const int (&d)[2], float *p) { k258<<<1, d[0]>>>(p, d[1]); }
static void both258(const int *d, int *e, float *p) {
  e[1] = 3;
  k258<<<1, d[0]>>>(p, d[1]);
}
static int held258[2] = {32, 5};
static void global258(const int *d, float *p) {
  held258[1] = 7;
  k258<<<1, d[0]>>>(p, d[1]);
}
static void moved258(const int *d, float *p) {
  ++d;
  k258<<<1, 32>>>(p, d[0]);
}
static void star258(const int *d, float *p) { k258<<<1, *d>>>(p, *(d + 1)); }
static void kept258(const int *d, float *p) {
  const int *e = d;
  e = e + 1;
  k258<<<1, 32>>>(p, e[0]);
}
static void cast258(const int *d, float *p) {
  int *e = (int *)d;
  e[1] = 9;
  k258<<<1, 64>>>(p, d[1]);
}
static void outer258(const int *d, float *p) { sized258(d, p); }
static void other258(const int *d, float *p, int *q) {
  q[1] = 11;
  k258<<<1, d[0]>>>(p, d[1]);
}
static const int *kept;
static void keep258(const int *d) { kept = d; }
static void late258(float *p) { k258<<<1, kept[0]>>>(p, kept[1]); }
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int a[2] = {64, 2}, b[2] = {96, 4}, c[2] = {128, 6}, d[2] = {32, 1};
  plain258(a, p);
  sized258(b, p);
  whole258(c, p);
  both258(d, d, p);
  global258(held258, p);
  int m[2] = {32, 8}, n[2] = {32, 10}, x[2] = {64, 12}, y[2] = {64, 13}, w[2] = {96, 14};
  moved258(m, p);
  star258(n, p);
  kept258(x, p);
  cast258(y, p);
  outer258(w, p);
  w[1] = 15;
  outer258(w, p);
  int q[2] = {32, 1};
  int *r = q;
  other258(q, p, r);
  int u[2] = {32, 1};
  keep258(u);
  u[1] = 16;
  late258(p);
  int z[3] = {1, 32, 17};
  plain258(z + 1, p);
  plain258(&z[1], p);
  [&] { a[1] = 18; }();
  plain258(a, p);
  cudaFree(p);
}
