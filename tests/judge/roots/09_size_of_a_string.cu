// The size of a string literal counts its end.
//@ launch r09_size_of_a_string grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r09_size_of_a_string(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[t * sizeof("abc")] = 1;
}
