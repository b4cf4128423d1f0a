// A condition that holds just because its sides wrap decides a branch: that they do not wrap may not be assumed.
__global__ void r22_guard_that_nobody_meets(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  if (100u - t >= -t)
    a[t * 8] = 1;
  else
    a[t * 4] = 1;
}
//@ launch r22_guard_that_nobody_meets_launched grid=(2) block=(128) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r22_guard_that_nobody_meets_launched(float *a, const int *d, int n, int m) {
  unsigned t = threadIdx.x;
  if (100u - t >= -t)
    a[t * 8] = 1;
  else
    a[t * 4] = 1;
  if (t + 4294967232u < 32u)
    a[t * 3] = 1;
  if (n + 4294967295u >= (unsigned)n)
    a[t * 5] = 1;
  else
    a[t * 6] = 1;
}
