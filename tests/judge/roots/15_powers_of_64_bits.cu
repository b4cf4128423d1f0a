// Powers beyond 32 bits.
//@ launch r15_powers_of_64_bits grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r15_powers_of_64_bits(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  for (long long s = 1; s < (1ll << 36); s *= 4)
    if (s == (1ll << 34))
      a[t * 2] = 1;
}
