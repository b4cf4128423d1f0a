// `std::swap` of objects with an `operator=` of their own moved their bytes; an order of the user's, given to
// `std::min`, `max` or `clamp`, was passed over; `fill` of an array in memory was no store.
#include <algorithm>
#include <array>
#include <utility>
struct R203 {
  int x, y;
  __device__ R203(int a, int b) : x(a), y(b) {}
  __device__ R203(const R203 &o) = default;
  __device__ R203 &operator=(const R203 &o) {
    x = o.y;
    y = o.x;
    return *this;
  }
};
struct R203Plain {
  int x, y;
};
//@ launch r203 grid=(2) block=(64) args(o=f32[65536], n=?16)
__global__ void r203(float *o, int n) {
  int t = threadIdx.x;
  R203 a(1, 2), b(3, 4);
  std::swap(a, b);
  o[t * a.x] = 1;
  o[t * b.x + 1] = 1;
  R203 c[2] = {R203(5, 6), R203(7, 8)}, d[2] = {R203(1, 2), R203(3, 4)};
  std::swap(c, d);
  o[t * c[1].x] = 1;
  R203Plain e{1, 2}, f{3, 4};
  std::swap(e, f);
  o[t * e.x] = 1;
  o[t * std::max(2, 3, [](int x, int y) { return x > y; })] = 1;
  o[t * std::min(2, 3, [](int x, int y) { return x > y; })] = 1;
  o[t * std::clamp(4, 9, 2, [](int x, int y) { return x > y; })] = 1;
}
//@ launch r203_fill grid=(2) block=(64) args(a=f32[65536])
__global__ void r203_fill(std::array<float, 3> *a) {
  __shared__ std::array<float, 3> s[64];
  a[threadIdx.x].fill(2.f);
  s[threadIdx.x].fill(1.f);
}
