// What is done in front of a `break` is done in the iteration that lanes leave in, though g++'s loop ends before it.
//@ launch r92_stored_and_left grid=(2) block=(32) args(a=f32[65536], n=?1)
__global__ void r92_stored_and_left(float *a, int n) {
  int t = threadIdx.x, x = 2;
  for (int i = n; i > 0 && i < 100; i *= 3) {
    x = x > t ? x + 3 : x;
    if ((t - x) & 4) {
      a[2 * i - t + 100] = 1;
      break;
    }
  }
  a[t] = 1;
}
