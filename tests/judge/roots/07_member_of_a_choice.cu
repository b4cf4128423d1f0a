// A member of one of two objects is assigned to.
//@ launch r07_member_of_a_choice grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
struct Pair07 { int v, w; };
__global__ void r07_member_of_a_choice(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  Pair07 x = {1, 1}, y = {1, 1};
  (n > 4 ? x : y).v = 8;
  a[t * x.v] = 1;
}
