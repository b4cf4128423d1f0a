// No warp is ever whole under this guard.
//@ launch r23b_triangle grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r23b_triangle(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  for (int i = 0; i < 31; ++i)
    if (t == i && i < n)
      a[t * n] = 1;
}
