// `(t*(A)) & 1023` is a product that is masked.
//@ launch r01_product_and_mask grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r01_product_and_mask(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s[4096];
  const int A = 8;
  s[(t*(A)) & 1023] = 1;
}
