// A flag that is set on the way to a break.
//@ launch r12_hit_and_left grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r12_hit_and_left(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  bool hit = false;
  for (int i = 0; i < 9; ++i)
    if (d[i] > m) {
      hit = true;
      break;
    }
  if (hit)
    a[t * 8] = 1;
}
