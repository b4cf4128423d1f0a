// A value through a case that falls into the next.
//@ launch r05_fall_through_values grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?0, m=?3)
__global__ void r05_fall_through_values(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int x = 1;
  switch (n) {
    case 0: x = 2;
    case 1: x *= 2; break;
    default: x = 1;
  }
  a[t * x] = 1;
}
