// Where only what stands behind a `continue` leaves the loop, lanes that continue take turns without the others.
//@ launch r231_continue_before_the_way_out grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r231_continue_before_the_way_out(float *a, int n) {
  int t = threadIdx.x, i = 0;
  for (;;) {
    a[t * ++i] = 1;
    if (i < n && t < 8)
      continue;
    a[t * 2 + i] = 1;
    if (i >= n)
      break;
  }
  a[t] = 1;
}
//@ launch r231_two_continues grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r231_two_continues(float *a, int n) {
  int t = threadIdx.x, i = 0;
  while (true) {
    a[t + 64 * i] = 1;
    i++;
    if (i < n && t < 8)
      continue;
    a[t * 2 + i * 64] = 1;
    i++;
    if (i < n && t < 20)
      continue;
    a[t * 3] = 1;
    if (i >= n)
      break;
  }
  a[t] = 1;
}
//@ launch r231_jumps_ahead_of_the_way_out grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r231_jumps_ahead_of_the_way_out(float *a, int n) {
  int t = threadIdx.x, i = 0;
again:
  i++;
  a[t * 2] = 1;
  if (i < n && t < 8)
    goto again;
  a[t * 3] = 1;
  if (i < n)
    goto again;
  a[t] = 1;
}
