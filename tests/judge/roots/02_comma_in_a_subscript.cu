// A comma operator in a subscript.
//@ launch r02_comma_in_a_subscript grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r02_comma_in_a_subscript(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s[4096];
  int i;
  s[(i = t, i * 4)] = 1;
}
