// A comma in a subscript is the operator; assignments in a conditional.
//@ launch r51_comma_in_a_subscript grid=(2) block=(64) args(a=f32[65536], b=f32[65536], n=?3)
__global__ void r51_comma_in_a_subscript(float *a, float *b, int n) {
  int t = threadIdx.x, i = 0, j = 1;
  a[i = t, i * 2] = 1;
  a[i += 2, i * 2] = 1;
  a[j, t * 4] = 1;
  n > 1 ? a[t * 4] = 1 : b[t] = 1;
  n > 1 ? a[t * 4] = 1 : b[t] += 1;
  n > 1 ? i = 8 : j = 4;
  a[t * i] = 1;
  a[t * j] = 1;
  (n > 2) ? (void)(a[t * 2] = 1) : (void)(b[t * 8] = 2);
}
