// A guard that holds just because its sides wrap.
//@ launch r22_guard_that_wraps grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r22_guard_that_wraps(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  if (100u - t >= -t)
    a[t * 8] = 1;
  else
    a[t * 4] = 1;
}
