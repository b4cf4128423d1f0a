// `(n*(t))+3` is a sum of a product.
//@ launch r01_product_in_brackets grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r01_product_in_brackets(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s[4096];
  s[((n*(t))+3) & 4095] = 1;
}
