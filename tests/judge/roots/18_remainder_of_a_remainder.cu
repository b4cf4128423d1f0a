// An index taken apart by remainders of remainders, below zero as well.
//@ launch r18_remainder_of_a_remainder grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r18_remainder_of_a_remainder(float *a, const int *d, int n, int m) {
  int w = (n & 63) + 1, h = (m & 15) + 1;
  int i = blockIdx.x * 32 + threadIdx.x - 7;
  int rest = i % (h * w);
  a[2048 + rest / w * 64 + rest % w] = 1;
}
