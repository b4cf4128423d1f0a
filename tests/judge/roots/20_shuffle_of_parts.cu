// A shuffle within parts of a warp.
//@ launch r20_shuffle_of_parts grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r20_shuffle_of_parts(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int r = __shfl_sync(~0u, d[t], 0, 8);
  a[r * 8 + (t & 7)] = 1;
}
