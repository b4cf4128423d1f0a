// A comparison of the user's gives what it gives, also where it is not known which one is meant.
enum r67_Sort { r67_Few = 3, r67_Many = 5 };
struct r67_Own { int p, q, u; };
template <class T>
__device__ T operator==(const T &x, r67_Sort s) {
  return x * 2 + int(s);
}
__device__ r67_Own operator==(r67_Own &s, const int &o) {
  s.u += o;
  return r67_Own{2, 8, 5};
}
//@ launch r67_comparisons_that_give_objects grid=(1) block=(64) args(b=f32[65536], d=i32[65536], w=i32[65536])
__global__ void r67_comparisons_that_give_objects(float *b, const int *d, r67_Own *w) {
  int t = threadIdx.x;
  r67_Own own = w[t] == d[t];
  b[t * own.q] = 1;
}
