// `(unsigned(t) % 32)` and `short(x)` in brackets.
//@ launch r02_conversion_in_brackets grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r02_conversion_in_brackets(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[(unsigned(t) % 32) * 4] = 1;
  a[(short(t) + 1) * 2] = 1;
}
