// The bits of ~0 are 32.
//@ launch r10b_bits_of_all_ones grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r10b_bits_of_all_ones(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s[4096];
  s[t * (__popc(~0) / 2)] = 1;
}
