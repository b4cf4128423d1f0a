// A mutable lambda changes its copy only.
//@ launch r06_mutable_copy grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r06_mutable_copy(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int x = t;
  auto g = [=]() mutable { x += t * 3; return x; };
  g();
  a[x] = 1;
}
