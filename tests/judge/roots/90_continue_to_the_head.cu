// Who continues a loop without a step waits for the others of the iteration: they go on together.
//@ launch r90_continue_to_the_head grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r90_continue_to_the_head(float *a, int n) {
  int t = threadIdx.x, i = 0;
  for (;;) {
    if (i >= n)
      break;
    a[t * ++i] = 1;
    if (t < i)
      continue;
    a[t * 2 + i] = 1;
  }
  a[t] = 1;
}

//@ launch r90_two_jumps_back grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r90_two_jumps_back(float *a, int n) {
  int t = threadIdx.x, i = 0;
again:
  a[t * ++i] = 1;
  if (i < n && t < 8)
    goto again;
  a[t * 2 + i] = 1;
  if (i < n)
    goto again;
  a[t] = 1;
}
