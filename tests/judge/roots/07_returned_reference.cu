// An assignment through a reference that a function returns.
//@ launch r07_returned_reference grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?3, m=?3)
__device__ int &which07(bool b, int &x, int &y) { return b ? x : y; }
__global__ void r07_returned_reference(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int x1 = 1, x2 = 2;
  which07(n > 4, x1, x2) = t * 4;
  a[x2] = 1;
}
