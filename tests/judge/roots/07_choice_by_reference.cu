// One of two variables is an argument by reference.
//@ launch r07_choice_by_reference grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__device__ void bump07(int &x) { x += 7; }
__global__ void r07_choice_by_reference(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int x = 1, y = 1;
  bump07(n > 4 ? x : y);
  a[t * x] = 1;
}
