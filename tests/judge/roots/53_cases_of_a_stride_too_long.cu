//@ launch rows_apart grid=(5) block=(32) args(a=f64[65536], b=f64[65536], d=i32[65536], n=?7, m=?3)
// Lanes stand so far apart that not every `n` can be tried: nothing is told of single ones.
__global__ void rows_apart(double *a, const double *b, const int *d, const int n, int m) {
  int t = threadIdx.x;
  int row = t - n;
  if ((t & 1) == 0) row = t * 17;
  a[t] = b[row * t + n];
}
