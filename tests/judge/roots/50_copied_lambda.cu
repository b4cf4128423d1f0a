// A copy of a lambda that changes its captures changes its own.
template <class F> __device__ int twice50(F f) {
  f();
  return f();
}
__global__ void r50_copied_lambda(float *a) {
  int t = threadIdx.x;
  auto f = [x = 3]() mutable { return x += 1; };
  auto g = f;
  a[t * g()] = 1;
  a[t * g()] = 2;
  a[t * twice50(f)] = 3;
  a[t * f()] = 4;
}
