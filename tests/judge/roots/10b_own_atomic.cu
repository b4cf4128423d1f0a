// A function of the user's that bears the name of an atomic.
//@ launch r10b_own_atomic grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
struct Sum10 { float x, y; };
__device__ float atomicAdd(Sum10 *p, float v) {
  p->x += v;
  p[1].y = v;
  return p->x;
}
__global__ void r10b_own_atomic(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  Sum10 *q = (Sum10 *)a;
  atomicAdd(q + t * 2, 1.0f);
}
