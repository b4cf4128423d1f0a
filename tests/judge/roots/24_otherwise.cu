// "Otherwise" holds of every stride that no case names.
//@ launch r24_otherwise grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r24_otherwise(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[(t & 7) + (t >> 3) * n] = 1;
  a[(t / 16) * n + t % 16] = 2;
  float v = a[(t & 3) + (t >> 2) * m];
  a[t * 2] = v;
}
//@ launch r24_otherwise_of_two_rows grid=(2) block=(32,8) args(a=f64[65536], d=i32[65536], n=?5, m=?3)
__global__ void r24_otherwise_of_two_rows(double *a, const int *d, int n, int m) {
  int x = threadIdx.x & 15, y = threadIdx.x >> 4;
  a[x + y * n] = 1;
  a[x * 2 + y * m] = 1;
  a[x + (y + 3) * (n + 1)] = 1;
}
