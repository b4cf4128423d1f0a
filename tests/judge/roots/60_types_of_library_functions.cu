// What a function of the standard library gives depends on its argument: `sqrt` of an `int` is a `double`,
// `std::min` of two `short` a `short`.
#include <cmath>
__global__ void k(char *bytes, int n, float x) {
  int t = threadIdx.x;
  short h = 3;
  decltype(sqrt(n)) *root = (decltype(sqrt(n)) *)bytes;
  root[t] = 1;
  decltype(floor(n)) *whole = (decltype(floor(n)) *)bytes;
  whole[t] = 2;
  decltype(std::pow(n, 2)) *square = (decltype(std::pow(n, 2)) *)bytes;
  square[t] = 3;
  decltype(abs(h)) *size = (decltype(abs(h)) *)bytes;
  size[t] = 4;
  decltype(std::sqrt(x)) *single = (decltype(std::sqrt(x)) *)bytes;
  single[t] = 5;
  decltype(std::ldexp(x, 2)) *scaled = (decltype(std::ldexp(x, 2)) *)bytes;
  scaled[t] = 6;
  bytes[t * sizeof(exp(n))] = 7;
  bytes[t * sizeof(std::min(h, h))] = 8;
}
int main() {
  char *bytes;
  cudaMalloc(&bytes, 65536);
  k<<<2, 64>>>(bytes, 4, 2.0f);
}
