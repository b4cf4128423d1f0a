// Values and conditions whose parts are shared: each way through them is one of 2^40.
__global__ void k(float2 *v, float *o, int t, int n) {
  __shared__ float s[1024];
  int i = threadIdx.x;
  bool c = i < n, e = i > t;
#define C(m) { bool q = c && (e || i < m); e = e || (c && i != m); c = q || e; }
#define C8(m) C(m) C(m + 1) C(m + 2) C(m + 3) C(m + 4) C(m + 5) C(m + 6) C(m + 7)
  C8(0) C8(8) C8(16) C8(24) C8(32)
  if (c) s[i] = 1;
  int x = i;
#define V(m) x = (x ^ m) & (x + m);
#define V8(m) V(m) V(m + 1) V(m + 2) V(m + 3) V(m + 4) V(m + 5) V(m + 6) V(m + 7)
  V8(1) V8(9) V8(17) V8(25) V8(33)
  v[x & 1023] = make_float2(1, 2);
  int y = 0;
  for (int a = 0; a < n; ++a) {
    o[i + y] = 1;
#define Y(m) if ((t >> (m % 31)) & 1) y += m;
#define Y8(m) Y(m) Y(m + 1) Y(m + 2) Y(m + 3) Y(m + 4) Y(m + 5) Y(m + 6) Y(m + 7)
    Y8(1) Y8(9) Y8(17) Y8(25) Y8(33)
  }
}
