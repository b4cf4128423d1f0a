// Only the lanes of one case make the access.
//@ launch r05_fall_through_guards grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r05_fall_through_guards(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s[4096];
  float v = 0;
  switch (t & 3) {
    case 0: v = 1; break;
    case 1: v += s[t * 16];
    default: v += 2;
  }
  a[t] = v;
}
