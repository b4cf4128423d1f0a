// A condition with `(t*(A))-(c)` lets lanes through.
//@ launch r01_product_in_a_condition grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r01_product_in_a_condition(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int A = 4, c = 2;
  if (((t)*(A))-(c) > 9)
    a[t * 8] = 1;
}
