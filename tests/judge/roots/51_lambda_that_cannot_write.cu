// A call that is not followed is given lambdas: each writes what it captures by reference, and nothing else.
struct Unseen {
  template <class F> int with(int x, F f);
};
template <class F> __device__ int applied(F f) {
  f(7);
  return 0;
}
//@ launch r51_lambda_that_cannot_write grid=(2) block=(64) args(a=f32[65536], n=?5)
__global__ void r51_lambda_that_cannot_write(float *a, int n) {
  int t = threadIdx.x, x = 1, y = 2, z = 4;
  int *p = &z;
  applied([](int i) { return i; });
  applied([&x](int i) { x = i; });
  applied([y](int i) mutable { y = i; });
  applied([p](int i) { *p = i; });
  a[t * x] = 1;
  a[t * y] = 2;
  a[t * z] = 3;
}
