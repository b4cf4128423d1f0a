// `true ? object : T(…)` is an object of its own, copied from the one that is taken.
//@ launch r189_taken_side_beside_a_value grid=(2) block=(32) args(a=f32[65536], n=?13)
struct R189 {
  int k;
  __device__ R189(int x) : k(x) {}
  __device__ R189(const R189 &o) : k(o.k + 2) {}
  __device__ int bump() { return k += 2; }
};
struct R189Plain {
  int k;
  __device__ int bump() { return k += 2; }
};
__device__ R189Plain r189(int k) { return R189Plain{k}; }
template <bool FIRST>
__device__ int r189taken(R189 &one, R189 &other) {
  return (FIRST ? one : other).bump();
}
__global__ void r189_taken_side_beside_a_value(float *a, int n) {
  int t = threadIdx.x;
  R189 one(1);
  int first = (sizeof(int) == 4 ? one : R189(6)).bump();
  a[t * first] = 1;
  a[t * one.k] = 2;
  R189Plain plain{3};
  int second = (true ? plain : r189(7)).bump();
  a[t * second] = 3;
  a[t * plain.k] = 4;
  R189 other(9);
  int third = r189taken<true>(one, other);
  a[t * third] = 5;
  a[t * one.k] = 6;
  int x = 2;
  const int &kept = sizeof(int) == 4 ? x : 5;
  x = 7;
  a[t * kept] = 7;
  (true ? one : R189(4));
  a[t * one.k + n] = 8;
}
