// A table of powers that starts at one of two values.
//@ launch r15_table_of_powers grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r15_table_of_powers(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  for (int s = (n & 1) + 1; s < 1000; s *= 2)
    if (s == 16)
      a[t * 2] = 1;
}
