// A last warp of few lanes.
//@ launch r23c_block_of_40 grid=(2) block=(40) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r23c_block_of_40(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[t + 1] = 1;
  a[t * 2] = 2;
  a[t / 2 * 16] = 3;
  a[t & 7] = 4;
  a[t % 24 * 2 + 1] = 5;
}
