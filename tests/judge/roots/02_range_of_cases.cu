// A case that names a range.
//@ launch r02_range_of_cases grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r02_range_of_cases(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int q = 8;
  switch (n) {
    case 1 ... 4: q = 2; break;
    default: q = 1;
  }
  a[t * q] = 1;
}
