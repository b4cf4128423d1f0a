// Pointers that are moved without arithmetic: members named in methods, bases that a class does not begin with,
// operators of the user's, functions that members and template arguments hold, references to members.
#include <cuda_runtime.h>
__global__ void k(float *a) { a[threadIdx.x] = 1; }
typedef float Row[128];
struct S {
  int count, pad, more;
  float data[128];
  float one;
  Row row;
  float *begin() { return data; }
  float *only() { return &one; }
  float &ref() { return one; }
};
struct A {
  int x[3];
};
struct B {
  float y[128];
};
struct D : A, B {};
struct V {
  float *q;
  float *operator-() { return q + 1; }
};
static void start(float *q) { k<<<1, 64>>>(q); }
struct Ops {
  void (*launch)(float *);
};
static const Ops ops = {start};
static void take(B *q) { k<<<1, 64>>>((float *)q); }
template <void (*F)(float *)> static void call(float *q) { F(q); }
int main() {
  S *s;
  cudaMalloc((void **)&s, 1 << 16);
  k<<<1, 64>>>(s->begin());
  k<<<1, 64>>>(s->only());
  k<<<1, 64>>>(&s->ref());
  k<<<1, 64>>>(s->row);
  float &z = s->data[5];
  k<<<1, 64>>>(&z);
  D *d = (D *)s;
  B *b = d;
  k<<<1, 64>>>((float *)b);
  take(d);
  float *p = (float *)s;
  V v{p};
  k<<<1, 64>>>(-v);
  ops.launch(p + 1);
  call<start>(p + 2);
}
