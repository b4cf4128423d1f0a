// A loop in a loop that a `return` leaves: lanes that are through with the inner loop wait behind it for the others.
//@ launch r120c_return_in_an_inner_loop grid=(1) block=(64) args(a=i32[65536], n=1)
__global__ void r120c_return_in_an_inner_loop(int *a, const int n) {
  int t = threadIdx.x, i = 0;
  while (i++ < 6 && t >= 36) {
    for (int j = 0; j < (t & 7); ++j) {
      if (n > 4) return;
      a[t + j * 3] = 1;
    }
  }
}
