// The inner braces of a class with an array are those of the array.
#include <array>
struct Pair {
  int x, y;
};
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  std::array<int, 2> r = {{4, 5}};
  a[t * r[1]] = 1;
  std::array<int, 2> q{2, 3};
  a[t * q[1]] = 1;
  std::array<Pair, 2> p = {{{1, 2}, {3, 6}}};
  a[t * p[1].y] = 1;
  Pair plain[2] = {{1, 2}, {3, 7}};
  a[t * plain[1].y] = 1;
}
