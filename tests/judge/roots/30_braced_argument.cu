// An access in a braced list that is passed to a function and to a lambda.
//@ launch r30_braced_argument grid=(2) block=(32) args(a=f32[65536], o=f32[65536], n=?5)
struct r30_Sum { float a, b; };
__device__ r30_Sum r30_join(r30_Sum x, r30_Sum y) { return {x.a + y.a, x.b + y.b}; }
__global__ void r30_braced_argument(const float *a, float *o, int n) {
  int t = threadIdx.x;
  auto other = [](r30_Sum x, const r30_Sum &y) { return r30_Sum{x.a, y.b}; };
  r30_Sum s = {0, 0};
  s = r30_join(s, {a[t * 8], 1.0f});
  s = other(s, {1.0f, a[t * 4 + 1]});
  o[t] = s.a + s.b;
}
