// Which strides are ideal is a rule of remainders.
//@ launch r24_cases_of_a_stride grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r24_cases_of_a_stride(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s[4096];
  float v = s[(t * 4 + n) & 1023];
  a[t + n * 3] = v;
}
