// What a remainder leaves differs between lanes: its quotient is not that of lane 0 and a multiple per lane.
//@ launch r115_quotients_of_remainders grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r115_quotients_of_remainders(float *a, int n) {
  int t = threadIdx.x;
  a[(t * 2 + (n & 1)) % 8 / 2 * 8] = 1;
  a[((t * 2 + (n & 1)) & 7) / 2 * 8] = 1;
  a[(((t | 5) - blockIdx.x) & 7) / 2 * 8] = 1;
  a[(((t | 1) + (n & 3)) % 16 >> 1) * 8] = 1;
  a[(t * 4 + (n & 3)) % 32 / 4 * 8 + t] = 1;
  unsigned x = ((t / 2 * 2 + blockIdx.x) & 7) / 2;
  if (x - t + 16 < t)
    a[t * 8] = 1;
  a[((t * 8 + n) % 64 & (n | 1)) * 8] = 1;
  a[((t * 8 + n * 64) % 128 & n) * 8] = 1;
}
