// A pointer out of an array of pointers.
//@ launch r17_pointers_in_an_array grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r17_pointers_in_an_array(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  float *ps[2] = {a, a + 1};
  ps[n & 1][t] = 1;
}
