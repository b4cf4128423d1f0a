// A reference to a value of another type keeps the converted value.
__global__ void r50_reference(float *a) {
  int t = threadIdx.x, x = 260;
  const unsigned char &c = x;
  const long &l = x;
  x = 3;
  a[t * c] = 1;
  a[t * (l & 7)] = 2;
  a[t * x] = 3;
}
