// Lanes that left a loop take no part in its next iterations.
//@ launch r14_lanes_that_left grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r14_lanes_that_left(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  for (int i = 0; i < 8; ++i) {
    a[t * 8 + i] = 1;
    if (t == i)
      break;
  }
}
