// A function that is not followed writes through a reference.
//@ launch r07_function_that_calls_itself grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__device__ void put07(int &x, int *y, int k) {
  if (k > 0)
    put07(x, y, k - 1);
  else
    x = *y = 8;
}
struct Held07 { int *p; };
__device__ void put07(Held07 h, int k) {
  if (k > 0)
    put07(h, k - 1);
  else
    *h.p = 8;
}
__global__ void r07_function_that_calls_itself(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int x = 1, y = 1, z = 1;
  put07(x, &y, m & 3);
  a[t * x] = 1;
  a[t * y + 1] = 2;
  put07(Held07{&z}, m & 3);
  a[t * z + 2] = 3;
}
