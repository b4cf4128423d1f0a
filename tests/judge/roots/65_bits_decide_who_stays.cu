// Lanes leave a loop by a bit, a remainder or a quotient that its counter is in: what speaks of one iteration has
// parts in common with what speaks of another.
//@ launch bits grid=(2) block=(64) args(a=f32[65536], n=?100)
__global__ void bits(float *a, int n) {
  int t = threadIdx.x, l = t & 31;
  int r = 0;
  while (r < 4 && (t >> r) & 1) {
    r++;
    a[r * 64 + t * 2] = 1;
  }
  a[r * 32 + l] = 1;
  for (r = 0; r < 5 && t % (r + 2) == 0; r++)
    a[r * 64 + t * 3] = 1;
  for (r = 0; r < 4 && t / (r + 1) > 5; r++)
    a[r * 32 + t] = 1;
  for (r = 0; (r * 3 & t) < 9 && r < 6; r++)
    a[r + t * 2] = 1;
}
