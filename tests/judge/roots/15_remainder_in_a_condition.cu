// A loop whose condition is of a remainder.
//@ launch r15_remainder_in_a_condition grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r15_remainder_in_a_condition(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int i = 0;
  while (i % 100 < 90)
    i++;
  if (i == 90)
    a[t * 8] = 1;
}
