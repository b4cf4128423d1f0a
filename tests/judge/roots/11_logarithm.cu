// A counter of doublings up to a parameter.
//@ launch r11_logarithm grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r11_logarithm(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int lg = 0;
  for (int s = 1; s < (n & 255); s <<= 1)
    lg++;
  a[t * lg] = 1;
}
