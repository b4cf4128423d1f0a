// `decltype` of an lvalue is a reference, and so are results that say so.
//@ launch r51_decltype_is_a_reference grid=(2) block=(64) args(a=f32[65536])
template <class T> __device__ auto &by_auto(T *p, int i) { return p[i]; }
template <class T> __device__ auto by_tail(T *p, int i) -> decltype(p[i]) { return p[i]; }
__device__ decltype(auto) by_decltype(float *p, int i) { return p[i]; }
__global__ void r51_decltype_is_a_reference(float *a) {
  int t = threadIdx.x, k = 1;
  decltype((k)) same = k;
  same = 2;
  a[t * k] = 1;
  decltype(k) other = k;
  other = 8;
  a[t * k] = 2;
  decltype(a[0]) place = a[t * 3];
  place = 3;
  decltype(auto) again = a[t * 4];
  again = 4;
  by_auto(a, t * 5) = 5;
  by_tail(a, t * 6) = 6;
  by_decltype(a, t * 7) = 7;
  auto by_lambda = [&](int i) -> auto & { return a[i]; };
  by_lambda(t * 8) = 8;
}
