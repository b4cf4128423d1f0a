// A macro whose product looks like a cast of a pointer that is read.
//@ launch r01_macro_of_indexes grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
#define IDX2C_(i, j, ld) (((j)*(ld))+(i))
__global__ void r01_macro_of_indexes(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s[4096];
  const int A = 8;
  s[IDX2C_(3, t, A)] = 1;
}
