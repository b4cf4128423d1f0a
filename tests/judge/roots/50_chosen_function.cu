// A pointer to one of two functions, by a condition.
__device__ inline int plus50(int x) { return x + 1; }
__device__ inline int twice_50(int x) { return x * 2; }
//@ launch r50_chosen grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r50_chosen(float *a, int n) {
  int (*f)(int) = twice_50;
  f = n > 2 ? plus50 : twice_50;
  a[f(threadIdx.x)] = 1;
}
