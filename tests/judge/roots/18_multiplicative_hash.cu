// The high bits of a product of 32 bits.
//@ launch r18_multiplicative_hash grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r18_multiplicative_hash(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[(t * 2654435769u) >> 28] = 1;
}
