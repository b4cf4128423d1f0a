// A fold over `||` stops at the first that holds.
template <class... F> __device__ bool any50(F... f) { return (f() || ...); }
//@ launch r50_fold grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r50_fold(float *a, int n) {
  int t = threadIdx.x, x = 1;
  any50([&] { a[t * 2] = 1; return n > 3; }, [&] { x = 4; a[t * 4] = 2; return t > 3; }, [&] { a[t * 8] = 3; return true; });
  a[t * x] = 4;
}
