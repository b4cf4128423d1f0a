// An assignment to one of two variables.
//@ launch r07_assigned_choice grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?3, m=?3)
__global__ void r07_assigned_choice(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int x1 = 1, x2 = 2;
  (n > 4 ? x1 : x2) = t * 4;
  a[x2] = 1;
}
