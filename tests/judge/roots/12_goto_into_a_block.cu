// A jump into a block.
//@ launch r12_goto_into_a_block grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__device__ int wild12(int n, int m) {
  int x = 1;
  if (n & 1)
    goto in;
  x = 8;
  if (m > 2) {
    x *= 4;
  in:
    x += 1;
  }
  return x;
}
__global__ void r12_goto_into_a_block(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[t * wild12(n, m)] = 1;
}
