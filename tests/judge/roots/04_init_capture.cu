// A lambda that captures an expression of the lane.
//@ launch r04_init_capture grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r04_init_capture(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  auto g = [k = t * 8] { return k; };
  a[g()] = 1;
}
