#include <cuda_runtime.h>
// A picker's template arguments mean what they do where it stands, not where its kernel is launched.
template <int B> __global__ void rows(float *a, int n) { a[threadIdx.x * B + n] = 1; }
typedef void (*Rows)(float *, int);
template <int B> static Rows pick(int c) {
  if (c > 1)
    return rows<B>;
  return rows<B + 1>;
}
static const int W = 3;
namespace inner {
static const int W = 7;
static Rows pick(int c) { return c > 1 ? rows<W> : rows<W + 1>; }
} // namespace inner
static Rows local(int c) {
  constexpr int B = 8;
  if (c > 1)
    return rows<B>;
  return rows<B / 2>;
}
template <int M> struct Table {
  static Rows of(int p) {
    switch (p) {
    case 1:
      return rows<M>;
    case 2:
      return rows<M * 2>;
    default:
      return nullptr;
    }
  }
};
template <int B> static void run(float *p, int c) {
  Rows f = pick<4>(c);
  f<<<1, B>>>(p, c);
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  constexpr int B = 5;
  run<64>(p, argc);
  auto second = inner::pick(argc);
  second<<<1, 32>>>(p, W);
  Rows third = local(argc);
  third<<<1, 32>>>(p, B);
  Rows fourth = argc > 1 ? Table<3>::of(argc) : Table<B>::of(1);
  if (fourth)
    fourth<<<1, 48>>>(p, 1);
  return 0;
}
