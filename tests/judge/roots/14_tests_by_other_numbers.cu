// Lanes that left a loop stay away where the next test is by another number.
//@ launch r14_tests_by_other_numbers grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r14_tests_by_other_numbers(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  for (int i = 0, q = n & 31; t != q && i < 6; i++, q = (q * 5 + m) & 31)
    a[t * 8] = 1;
}
