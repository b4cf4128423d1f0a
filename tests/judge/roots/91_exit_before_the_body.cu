// g++ lays out what follows this loop in front of its body: lanes that leave it wait for the others all the same.
//@ launch r91_exit_before_the_body grid=(2) block=(32) args(a=f32[65536])
struct R91 {
  short p;
  int w[2];
};
__global__ void r91_exit_before_the_body(float *a) {
  int t = threadIdx.x, i = 0;
  for (;;) {
    if (i >= (t & 7))
      break;
    ++i;
    R91 object{};
  }
  a[t * 2] = 1;
}
