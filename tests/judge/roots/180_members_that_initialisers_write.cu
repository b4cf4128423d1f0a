// Initialisers that write other members through a method, `this` or a reference; pointers into arrays of a function
// that runs with constants; writes under a cast to `void`. Each was read as a value that nothing changes.
#include <cuda_runtime.h>
__global__ void k(float *a, int n, int m) {
  a[threadIdx.x * n + m] = 1;
}
static int set(int &r) {
  r = 9;
  return 1;
}
struct Method {
  int v, w;
  Method(int x) : v(5), w(init(x)) {}
  int init(int x) {
    v = 9;
    return x;
  }
};
struct Default {
  int v = 5;
  int w = (v = 9);
};
struct Self {
  int v;
  Self *q;
  int w;
  Self() : v(5), q(this), w(q->v = 9) {}
};
struct Reference {
  int v, w;
  Reference() : v(5), w(set(v)) {}
};
template <int N>
struct Range {
  int from, size, count;
  Range(int x) : from(x), size(N) {
    count = from / N;
    if (count < 1) count = 1;
  }
};
static int put(int *x) {
  x[1] = 9;
  return 0;
}
static int through_parameter() {
  int x[2] = {5, 6};
  put(x);
  return x[1];
}
static int through_pointer() {
  int x[2] = {5, 6};
  int *q = x;
  q[1] = 9;
  return x[1];
}
static int under_cast() {
  int x = 5;
  (void)set(x);
  return x;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  Method method(2);
  Default plain;
  Self self;
  Reference reference;
  Range<4> range(argc * 9);
  k<<<1, 32>>>(p, method.v, method.w);
  k<<<1, 32>>>(p, plain.v, plain.w);
  k<<<1, 32>>>(p, self.v, self.w);
  k<<<1, 32>>>(p, reference.v, reference.w);
  k<<<1, 32>>>(p, range.size, range.count);
  k<<<1, 32>>>(p, through_parameter(), through_pointer());
  k<<<1, 32>>>(p, under_cast(), 0);
}
