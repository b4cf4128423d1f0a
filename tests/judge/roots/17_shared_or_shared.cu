// A pointer to one of two shared arrays.
//@ launch r17_shared_or_shared grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r17_shared_or_shared(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s1[64], s2[64];
  float *p = n > 4 ? s1 : s2;
  p[t * 2] = 1;
}
