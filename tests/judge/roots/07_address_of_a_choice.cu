// The address of one of two variables.
//@ launch r07_address_of_a_choice grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r07_address_of_a_choice(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int x = 1, y = 1;
  int *p = &(n > 4 ? x : y);
  *p = 8;
  a[t * x] = 1;
}
