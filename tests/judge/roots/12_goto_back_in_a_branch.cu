// Lanes jump back at different times.
//@ launch r12_goto_back_in_a_branch grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r12_goto_back_in_a_branch(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int i = 0;
  if (t < 40) {
  again:
    a[t * 2 + 1] = 1;
    i++;
    if (i < (t & 7))
      goto again;
  }
  a[i * 8] = 2;
}
