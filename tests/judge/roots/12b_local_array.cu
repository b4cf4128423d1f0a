// Some lanes write an element of a local array.
//@ launch r12b_local_array grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r12b_local_array(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s[4096];
  int c[4] = {0};
  if (t & 1)
    c[n & 3] = 32;
  s[c[n & 3]] = 1;
}
