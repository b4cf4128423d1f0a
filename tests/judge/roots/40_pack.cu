// A fold over launches, and a pack that is handed on.
#include <utility>
__global__ void r40_pack(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
template <class... N>
static void each(float *p, N... n) {
  ((r40_pack<<<1, 32>>>(p, n, 1)), ...);
}
template <class F, class... A>
static void repeat(F go, int times, A &&...a) {
  for (int i = 0; i < times; ++i)
    go(std::forward<A>(a)...);
}
static void launch(float *p, int n) { r40_pack<<<2, 64>>>(p, n, 0); }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  each(p, 1, 2, 3);
  for (int n : {2, 4})
    repeat(launch, argc, p, n);
}
