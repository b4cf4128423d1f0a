// Lanes for which a loop's one condition fails once do nothing more in the loop.
__global__ void steps(float *a, int n) {
  int at = 256 * blockIdx.x + threadIdx.x;
  for (int i = 0; i < 4; ++i) {
    if (at < n) {
      a[at * 3] = 1;
      at += 64;
    }
  }
  a[at] = 2;
}
__global__ void back_again(float *a, int n) {
  int at = threadIdx.x;
  for (int i = 0; i < 6; ++i) {
    if ((at & 3) < 2) {
      a[at + i * 8] = 1;
      at += 3;
    }
  }
}
__global__ void counted(float *a, int n) {
  int at = threadIdx.x, i = 0;
  for (; i < 5; ++i) {
    if (at < 70) {
      a[at] = 1;
      at += 32;
    }
  }
  a[i * 8] = 1;
}
