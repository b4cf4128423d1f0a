// A jump back is a loop.
//@ launch r12_goto_back grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r12_goto_back(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int i = 0;
again:
  a[t * i] = 1;
  i++;
  if (t < 16 && i < 4)
    goto again;
  a[t + i * 8] = 2;
}
