// An argument in braces.
//@ launch r02_braced_argument grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
struct Two02 { float x, y; };
__device__ float sum02(Two02 p) { return p.x + p.y; }
__global__ void r02_braced_argument(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[t] = sum02({a[t * 4 + 4096], a[t * 8 + 4096]});
}
