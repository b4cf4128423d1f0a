// The body of a do loop runs as often as its parameter says.
//@ launch r16_sum_of_a_do_loop grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r16_sum_of_a_do_loop(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int i = 0;
  do {
    a[t * 8 + i] = 1;
  } while (i++ <= (n & 7));
}
