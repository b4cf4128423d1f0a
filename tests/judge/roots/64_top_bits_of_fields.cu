// The bits of the next field leave at the top of a word when one before it is read.
//@ launch fields grid=(2) block=(40) args(a=f32[65536], b=f32[65536], d=i32[65536], n=?100, m=?3)
struct Bits {
  int f0 : 9;
  char plain0;
  int f1 : 11;
  int f2 : 13;
  unsigned : 0;
  int f3 : 7;
};
__global__ void fields(float *a, const float *b, const int *d, int n, int m) {
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  Bits bits2;
  bits2.f0 = (t);
  bits2.f1 = (t) % 33;
  bits2.f2 = (t & 1);
  bits2.f3 = t * 16;
  *(a + (t * (int)bits2.f1)) = 1;
}
