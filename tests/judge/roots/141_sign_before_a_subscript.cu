// `-1[p]` is `-(1[p])`: a sign belongs to no number.
//@ launch r141_sign_before_a_subscript grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r141_sign_before_a_subscript(float *a, int n) {
  int t = threadIdx.x;
  int kept[4] = {1, 2, 5, 3}, *p = kept + 1;
  a[t * (8 + -1[p])] = 1;
  a[t * (8 - 2[p])] = 1;
  a[t * (8 + +1[kept])] = 1;
  a[t * (8 + -0[p] * 2)] = 1;
}
