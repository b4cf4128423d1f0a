// A lambda moves its parameter, whoever calls it.
__global__ void r40_moved_by_a_lambda(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
template <class F> static void twice(F f, float *&p) {
  f(p);
  f(p);
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  twice([&](float *&q) { q += 1; }, p);
  r40_moved_by_a_lambda<<<2, 32>>>(p, 1, 0);
}
