// A divisor of 64 bits without a sign: from 2^63 on it divides nothing.
//@ launch r18_size_as_divisor grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r18_size_as_divisor(float *a, const int *d, int n, int m) {
  unsigned t = threadIdx.x;
  size_t rows = (size_t)n - 6;
  a[(t % rows) & 63] = 1;
  a[(t / rows * 8) & 4095] = 1;
}
