// The last warp is partial and starts at an odd place.
//@ launch r23c_partial_warp grid=(2) block=(256) args(a=f64[65536], d=i32[65536], n=?5, m=?3)
__global__ void r23c_partial_warp(double *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  if (i < 231)
    a[i + blockIdx.x * 5863] = 1;
}
