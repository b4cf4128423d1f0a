// A shift up and down keeps the sign of the low bits.
//@ launch r18_shift_there_and_back grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r18_shift_there_and_back(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[((t << 28) >> 28) * 8 + 64] = 1;
}
