// A product of 24 bits takes the low bits only.
//@ launch r10b_product_of_24_bits grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r10b_product_of_24_bits(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[__mul24(t, 1 << 24) + t] = 1;
}
