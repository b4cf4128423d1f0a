// A pointer to global memory, or to shared memory under a condition.
//@ launch r17_shared_under_a_condition grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r17_shared_under_a_condition(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s17u[64];
  float *p = a;
  if (n & 1)
    p = s17u;
  p[t] = 1;
}
