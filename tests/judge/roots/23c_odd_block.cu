// A block whose last warp has other ideals at the same cost.
//@ launch r23c_odd_block grid=(2) block=(17,3) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r23c_odd_block(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int i = threadIdx.y * blockDim.x + threadIdx.x;
  a[threadIdx.x * 3 + threadIdx.y] = 1;
  if (i < 40)
    a[i + 1] = 2;
}
