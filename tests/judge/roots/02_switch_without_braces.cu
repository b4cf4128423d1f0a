// A switch whose body is one labelled statement.
//@ launch r02_switch_without_braces grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r02_switch_without_braces(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int q = 8;
  switch (n & 3) case 3: q = 1;
  a[t * q] = 1;
}
