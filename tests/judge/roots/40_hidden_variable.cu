// Template parameters, members and enumerators hide variables of namespaces.
__global__ void r40_hidden_variable(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int r40_size = 32;
int r40_grid = 2;
template <int r40_size> static void r40_template(float *p) { r40_hidden_variable<<<1, r40_size>>>(p, 1, 0); }
template <int M> struct R40Enum {
  enum { r40_size = M };
  static void go(float *p) { r40_hidden_variable<<<1, r40_size>>>(p, 1, 1); }
};
struct R40Base {
  static const int r40_grid = 3;
};
struct R40Derived : R40Base {
  static void go(float *p) { r40_hidden_variable<<<r40_grid, 64>>>(p, 1, 2); }
};
static void r40_local(float *p) {
  enum { r40_size = 128 };
  r40_hidden_variable<<<1, r40_size>>>(p, 1, 3);
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  r40_template<64>(p);
  R40Enum<96>::go(p);
  R40Derived::go(p);
  r40_local(p);
  r40_hidden_variable<<<r40_grid, r40_size>>>(p, 1, 4);
}
