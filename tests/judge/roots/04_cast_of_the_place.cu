// A cast to a reference, assigned to: the place is written as another type, and is not read.
//@ launch r04_cast_of_the_place grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r04_cast_of_the_place(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s[4096];
  (int &)s[4 * t] = 1;
  (double &)a[2 * t] = 1;
}
