// A sum that wraps below zero before it is divided.
//@ launch r18_unsigned_division grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r18_unsigned_division(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int dx = -2;
  a[((t + 1 + dx) / 20u) & 4095] = 1;
}
