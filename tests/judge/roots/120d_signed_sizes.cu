// An index of type size_t divided by sizes of type int: one that is negative is a very large divisor, which leaves 0.
//@ launch r120d_signed_sizes grid=(2) block=(64) args(a=f32[65536], b=f32[65536], n=?5, m=?3)
__global__ void r120d_signed_sizes(float *a, const float *b, int n, int m) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i % n, y = (i / n) % m, z = i / ((size_t)m * n);
  a[(z * m + y) * n + x] = b[(y * n + x) & 1023];
  a[i / n % m * 8] = b[(i / n) & 511];
  a[(i / n) * n + i % n] = 1;
}
