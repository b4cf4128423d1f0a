// Overloads for `long` and `long long`.
//@ launch r09_long_and_long_long grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__device__ int ov09(long x) { return 1; }
__device__ int ov09(long long x) { return 8; }
__global__ void r09_long_and_long_long(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[t * ov09(2ll)] = 1;
}
