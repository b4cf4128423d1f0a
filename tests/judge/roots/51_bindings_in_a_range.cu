// Names for parts of the elements that a loop goes through; a class whose braces make a list is not followed.
#include <initializer_list>
struct Pair {
  int a, b;
};
struct Listed {
  int n;
  __device__ Listed(std::initializer_list<int> all) : n((int)all.size() * 8) {}
  __device__ Listed(int x, int y) : n(x + y) {}
};
//@ launch r51_bindings_in_a_range grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_bindings_in_a_range(float *a) {
  int t = threadIdx.x;
  Pair all[2] = {{1, 2}, {3, 4}};
  for (auto &[f, g] : all) f += g;
  a[t * all[0].a] = 1;
  for (auto [f, g] : all) {
    g = 7;
    a[t * g] = 2;
  }
  a[t * all[1].b] = 3;
  Listed x{2, 3}, y(2, 3);
  a[t * x.n] = 4;
  a[t * y.n] = 5;
}
