// Where lanes divide what is negative for every count, that it is not negative is nothing to assume.
//@ launch r57_divided grid=(1) block=(32) args(a=f32[65536], n=?6)
__global__ void r57_divided(float *a, int n) {
  int t = threadIdx.x;
  if (n > 40) {
    a[(t - n) % 32 + 64] = 1;
    a[(t - n) / 4 + n] = 1;
    a[((t - n) % 16) * 8 + 256] = 1;
  }
  if (n > 0) a[(t - 32 * n) / 32 + n] = 1;
  if (t >= n && n > 0) a[(t - n) % 32] = 1;
  if (n >= 0) a[(t + n) % 32] = 1;
}
