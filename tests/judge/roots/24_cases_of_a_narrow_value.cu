//@ launch r24_narrow grid=(2) block=(32) args(a=f32[65536], n=?16, m=?3)
__global__ void r24_narrow(float *a, int n, int m) {
  int t = threadIdx.x;
  a[(short(m * 31) + 1) / 3 + t] = 1;
  unsigned char q = n;
  a[(q + 1) / 3 + t] = 1;
}
