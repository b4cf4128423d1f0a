// Lanes that returned from inside a loop are gone.
//@ launch r14_lanes_that_returned grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r14_lanes_that_returned(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  for (int i = 0; i < n; ++i)
    if (t < i)
      return;
  a[t * 8] = 1;
}
