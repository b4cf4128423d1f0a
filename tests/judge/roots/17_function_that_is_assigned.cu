// A pointer to a function is assigned under a condition, and in a loop.
//@ launch r17_function_that_is_assigned grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__device__ int one17(int x) { return x; }
__device__ int two17(int x) { return x * 8; }
__global__ void r17_function_that_is_assigned(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int (*f)(int) = one17;
  if (n & 1)
    f = two17;
  a[f(t)] = 1;
  int (*g)(int) = one17;
  for (int i = 0; i < 4; i++) {
    a[g(t)] = 1;
    g = two17;
  }
  int (*h)(int) = m > 2 ? one17 : two17;
  a[h(t)] = 2;
}
