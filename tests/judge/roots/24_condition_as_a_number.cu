// A condition, and other small numbers, in an address.
//@ launch r24_condition_as_a_number grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r24_condition_as_a_number(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  bool z = m > 2;
  a[t + z] = 1;
  a[t + (n > 4)] = 2;
  a[t + (n & m)] = 3;
  a[t * (n & 3)] = 4;
}
