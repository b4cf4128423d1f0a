// Lanes that broke out of an inner loop are there in the next iteration; those that stayed in it have returned.
//@ launch r14_break_and_return_of_an_inner_loop grid=(2) block=(32) args(a=f32[65536], n=?100)
__global__ void r14_break_and_return_of_an_inner_loop(float *a, int n) {
  int t = threadIdx.x;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (j > (n & 3))
        return;
      a[t * (1 + j)] = 1;
      if (t < 8)
        break;
    }
  }
}
