// A call that is not followed may keep an address; a later one may write through it.
__device__ int *kept50;
__device__ int level50(int n, int *p) {
  if (p) kept50 = p;
  else *kept50 = 5;
  return n == 0 ? 0 : level50(n - 1, p);
}
//@ launch r50_kept grid=(1) block=(32) args(a=f32[65536], n=?5)
__global__ void r50_kept(float *a, int n) {
  int t = threadIdx.x, x = 1;
  level50(n & 1, &x);
  x = 2;
  level50(n & 1, nullptr);
  a[t * x] = 1;
}
