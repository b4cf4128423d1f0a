// A template of which some instances are named where nobody looks: in a lambda, as well as in a function.
#include <cuda_runtime.h>
__global__ void r232_instances(float *a, int n, int m) {
  a[threadIdx.x * n] = m;
}
template <int N> static void run232(float *p, int n) { r232_instances<<<1, N>>>(p, n, N / 8); }
static auto pick232(int i) -> void (*)(float *, int) {
  void (*all[])(float *, int) = {run232<32>, run232<48>};
  return all[i & 1];
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3;
  [&] {
    auto f = pick232(argc);
    f(p, n);
    void (*q)(float *, int) = argc > 2 ? run232<64> : run232<96>;
    q(p, 7);
  }();
  cudaFree(p);
  return 0;
}
