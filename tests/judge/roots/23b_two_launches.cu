// Of two launches only one lets a whole warp through.
//@ launch r23b_two_launches grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=4, m=5)
//@ launch r23b_two_launches grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?16, m=0)
__global__ void r23b_two_launches(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  if (t < n)
    a[blockIdx.x * blockDim.x + t + m] = 3;
}
