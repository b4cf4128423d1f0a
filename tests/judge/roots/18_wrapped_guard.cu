// A guard of 64 bits that lane 0 fails.
//@ launch r18_wrapped_guard grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r18_wrapped_guard(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  size_t ix = (size_t)t - 1;
  if (ix < 1000)
    a[ix * 8] = 1;
}
