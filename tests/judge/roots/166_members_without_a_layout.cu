// Where a class has no layout its members lie somewhere in it, not at its start.
#include <cstddef>
struct __attribute__((packed)) Packed {
  int a : 5;
  int b : 12;
  char c;
  long d : 33;
  double e;
};
//@ launch members grid=(1) block=(32) args(a=f32[65536], p=f32[65536])
__global__ void members(float *a, Packed *p) {
  int t = threadIdx.x;
  a[offsetof(Packed, c) * t] = 1;
  a[(size_t)(&((Packed *)0)->c) * t] = 1;
  a[t] = p->c;
}
