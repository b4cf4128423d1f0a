// A capture by copy keeps the value of its time.
//@ launch r06_capture_by_copy grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r06_capture_by_copy(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int x = 4;
  auto g = [=] { return x; };
  x = 8;
  a[t * g()] = 1;
}
