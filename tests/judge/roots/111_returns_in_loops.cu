// Lanes that leave a loop wait for those still in it, though some might return from there. Nobody does.
//@ launch r111_returns_in_loops grid=(2) block=(32) args(a=f32[65536], n=?8)
__global__ void r111_returns_in_loops(float *a, int n) {
  int t = threadIdx.x;
  for (int i = t & 7; i--;) {
    a[t * 5 + i] = 1;
    if ((n & 7) < 0)
      return;
  }
  a[t * 2] = 1;
}
