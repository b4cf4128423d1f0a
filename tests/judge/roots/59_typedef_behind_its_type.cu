// `typedef` may stand behind the type that it names.
struct {
  int *data;
  int step;
} typedef Batch;
struct alignas(16) Pair {
  float a, b, c;
} typedef Pair_t, *PairPtr;
enum { Few = 3, Many = 8 } typedef Count;
int typedef Plain;
unsigned long typedef Wide, Row[4];
struct Outer {
  struct {
    int x, y;
  } typedef Inner;
  float typedef Value;
};
__global__ void k(Batch b, PairPtr p, Outer::Inner *q, Count c) {
  struct {
    int u, v, w;
  } typedef Local;
  Plain t = threadIdx.x;
  short typedef Narrow;
  Narrow n = 65538;
  b.data[t * b.step] = sizeof(Local);
  p[t].a = sizeof(Row);
  q[t].y = sizeof(Outer::Value);
  b.data[t * sizeof(Local)] = 1;
  b.data[t * n] = Many;
  b.data[t * (sizeof(Count) + sizeof(Pair_t))] = 1;
  auto f = [&](int i) {
    char typedef Byte;
    struct { Byte a; Wide b; } typedef Two;
    return i * sizeof(Two);
  };
  b.data[f(t)] = Few;
}
int main() {
  Batch b;
  cudaMalloc(&b.data, 65536);
  b.step = 2;
  PairPtr p;
  Outer::Inner *q;
  cudaMalloc(&p, 65536);
  cudaMalloc(&q, 65536);
  k<<<2, 64>>>(b, p, q, Few);
}
