// `std::array` is copied as classes are.
#include <array>
using A2 = std::array<int, 2>;
struct H { A2 r; int k; };
__device__ int byv(A2 r) { r[0] = 9; return r[1]; }
template <class T> __device__ T same(T v) { v[0] += 1; return v; }
__device__ A2 mk(int k) { return {k, k + 1}; }
__device__ void ref(A2 &r) { r[1] = 6; }
//@ launch k grid=(2) block=(64) args(a=f32[65536], n=?3)
__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  A2 r{4, 5}; auto q = r; q[0] = 9;
  a[t * r[0]] = 1;
  byv(r); a[t * r[0]] = 1;
  auto s = same(r); a[t * s[0]] = 1; a[t * r[0]] = 1;
  auto m = mk(3); a[t * m[1]] = 1;
  a[t * mk(2)[0]] = 1;
  ref(r); a[t * r[1]] = 1;
  H h{{4, 5}, 3}; auto w = h.r; w[0] = 1; a[t * h.r[0]] = 1; h.r = m; a[t * h.r[1]] = 1;
  A2 z = {{7, 2}}; a[t * z[1]] = 1;
  for (auto v : z) a[t * v] = 1;
  for (auto &v : z) v = 3;
  a[t * z[0]] = 1;
  auto [x, y] = r; x = 1; a[t * y] = 1;
  std::array<A2, 2> rr{{{1, 2}, {3, 4}}}; auto c = rr[1]; c[0] = 8; a[t * rr[1][0]] = 1;
  auto l = [q = r]() mutable { return ++q[0]; }; l(); a[t * r[0]] = 1;
  const A2 &cr = r; a[t * cr[1]] = 1; int *p = r.data(); p[0] = 2; a[t * r[0]] = 1;
  a[t * (int)r.size()] = 1; z = r; a[t * z[0]] = 1; r[n & 1] = 3; a[t * z[1]] = 1;
}
