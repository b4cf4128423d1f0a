__device__ float pick(const float *bias, int t) { if (bias != nullptr) return bias[t * 8]; return 0; }
__device__ float pick2(const float *bias, int t) { return bias ? bias[t * 8] : 0; }
__global__ void k(float *a, float *b, int n, float *c) {
  int t = threadIdx.x;
  float *p = nullptr;
  for (int i = 0; i < n; i++) {
    if (p) p[t * 2] = 1;
    p = a + i;
  }
  if (p) p[t * 4] = 2;
  float *q = nullptr;
  for (int i = 0; i < n; i++) {
    if (q != nullptr) q[t] = 1;
    if (i == 3) q = b + 1;
  }
  if (q) q[t] = 3;
  float *r = t < 16 ? c : nullptr;
  if (r) r[t] = 4;
  float *s = t & 1 ? c + t : nullptr;
  if (s) s[0] = 5;
  float *u = nullptr;
  if (t < 8) u = c + 3 * t;
  if (u) u[0] = 5;
  c[t] = pick(nullptr, t) + pick2(0, t) + pick(NULL, t);
  float *tab[2] = {a, nullptr};
  float *v = tab[n & 1];
  if (v) v[t * 2] = 6;
  float *w = tab[t & 1];
  if (w) w[t * 2] = 7;
  int mine[4] = {1, 2, 3, 4};
  int *x = n > 2 ? mine : nullptr;
  if (x) x[1] = t;
  c[t * mine[1]] = 9;
  if (n > 2) c[t * mine[0]] = 10;
  float *y = n > 4 ? a : n > 3 ? nullptr : b;
  y = n > 1 ? y : nullptr;
  if (y) y[t * 3] = 11;
  size_t z = (size_t)(char *)nullptr;
  c[t * (z + 2)] = 12;
}
int main() {
  float *a, *b, *c;
  cudaMalloc(&a, 65536); cudaMalloc(&b, 65536); cudaMalloc(&c, 65536);
  k<<<1, 64>>>(a, b, 2, c); k<<<1, 64>>>(a, b, 5, c); k<<<1, 64>>>(a, b, 8, c); k<<<1, 64>>>(a, b, 0, c);
  k<<<1, 64>>>(a, b, 4, c);
}
