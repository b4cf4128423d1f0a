// An object of a class that is defined elsewhere may write the variables that it is made of.
#include <utility>
//@ launch r51_unknown_class_of_a_variable grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_unknown_class_of_a_variable(float *a) {
  int t = threadIdx.x, x = 2, y = 3;
  std::pair<int &, int> p(x, 3);
  p.first = 7;
  a[t * x] = 1;
  std::pair<int, int> q{y, 4};
  q.first = 9;
  a[t * y] = 2;
}
