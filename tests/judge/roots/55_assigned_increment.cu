// `++x = 5` assigns to what was incremented.
//@ launch r55_assigned_increment grid=(1) block=(32) args(a=f32[65536], n=?6)
__global__ void r55_assigned_increment(float *a, int n) {
  int t = threadIdx.x, x = 1, y[4] = {1, 2, 3, 4}, *p = y;
  ++x = 5;
  a[t * x] = 1;
  --x += 2;
  a[t * x] = 1;
  *++p = 7;
  a[t * y[1]] = 1;
  ++*p = 3;
  a[t * y[1]] = 1;
  ++y[2] *= 2;
  a[t * y[2]] = 1;
  ++(x = 3);
  a[t * x] = 1;
}
