#include <cuda_runtime.h>
// Operators and conversions change their object where it is only used: in conditions, chains, declarations.
__global__ void rows(float *a, int n, int m) {
  a[threadIdx.x * n] = 1;
  a[threadIdx.x + m] = 2;
}
struct Count {
  int x;
  bool operator!() { return x++ > 0; }
  int operator-() { return x += 4; }
  int operator[](int i) { return x += i; }
  int &operator*() { return ++x; }
  Count *operator->() {
    x += 5;
    return this;
  }
  bool operator==(const Count &o) { return x++ == o.x; }
};
struct Left {
  int x;
  operator bool() { return x-- > 0; }
};
struct Log {
  int x;
};
static Log &operator<<(Log &l, int k) {
  l.x = k;
  return l;
}
static int made = 0;
static int next() { return ++made; }
struct Ticket {
  int first = next(), second = next();
};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  Count a{3}, b{4};
  bool negated = !a;
  rows<<<1, 32>>>(p, a.x, 1);
  int minus = -a, at = a[2];
  rows<<<1, 32>>>(p, a.x, 2);
  int behind = *b, through = b->x;
  rows<<<1, 32>>>(p, b.x, 3);
  if (a == b)
    rows<<<1, 64>>>(p, 1, 4);
  rows<<<1, 32>>>(p, a.x, 5);
  Left left{3};
  int turns = 0;
  while (left)
    turns++;
  rows<<<1, 32>>>(p, left.x + 4, turns);
  Log log{3};
  log << 5 << 7;
  rows<<<1, 32>>>(p, log.x, 6);
  Ticket one, two{7};
  rows<<<1, 32>>>(p, one.second, two.second);
  rows<<<1, 32>>>(p, made, argc);
  return 0;
}
