// A function of the library is none of the unit's of its last name.
#include <tuple>
__global__ void r53_function_of_the_library(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
__global__ void r53_function_of_the_library_two(float *a, int n, int m) { a[threadIdx.x * n * 2 + m] = 1; }
static int get(int x) { return x; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  auto all = std::make_tuple(r53_function_of_the_library_two, 3);
  auto f = std::get<0>(all);
  f<<<1, 32>>>(p, 2, 1);
  r53_function_of_the_library<<<1, 64>>>(p, get(4), 1);
}
