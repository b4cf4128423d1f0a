// A name that a block takes from a namespace.
//@ launch r10_using_in_a_block grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
namespace n10 {
constexpr int q10 = 8;
}
constexpr int q10 = 1;
__global__ void r10_using_in_a_block(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  using n10::q10;
  a[t * q10] = 1;
}
