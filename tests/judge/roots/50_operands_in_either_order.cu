// Which operand comes first is not specified.
__device__ inline int changed50(int &x) {
  x += 3;
  return 1;
}
//@ launch r50_order grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r50_order(float *a, int n) {
  int t = threadIdx.x, x = 2;
  int y = x + changed50(x);
  a[t * y] = 1;
  a[t * x] = 2;
}
