// `T x{}`, `T x = T()` and `new (p) T()`: arrays of arrays, and long arrays, of objects with constructors were zero;
// `T()` of a class without a constructor was not; what is made in memory that way was no store.
#include <new>
struct R201 {
  int k;
  __device__ R201() : k(2) {}
};
struct R201Two {
  R201 a[2][2];
};
struct R201Many {
  R201 a[100];
};
struct R201In {
  R201 one[2];
};
struct R201Deep {
  R201In in;
};
struct R201Plain {
  int a, b;
};
struct R201Default {
  int a;
  R201Plain p;
  __device__ R201Default() = default;
};
struct R201Long {
  float v[300];
  int k;
};
//@ launch r201_values grid=(2) block=(64) args(o=f32[65536], n=?16)
__global__ void r201_values(float *o, int n) {
  int t = threadIdx.x;
  for (int i = 0; i < 3; ++i) {
    R201Two x{};
    o[t * x.a[1][1].k] = 1;
    x.a[1][1].k += 3;
    R201Many y{};
    o[t * y.a[70].k] = 1;
    y.a[70].k += 5;
    R201 z[3][2] = {};
    o[t * z[1][1].k] = 1;
    z[1][1].k += 9;
    R201Deep w{};
    o[t * w.in.one[1].k] = 1;
    w.in.one[1].k += 9;
  }
  R201Plain p = R201Plain();
  o[t * (p.a + 2)] = 1;
  R201Default q = R201Default();
  o[t * (q.p.b + 3)] = 1;
}
//@ launch r201_memory grid=(2) block=(64) args(p=i32[65536], q=i32[65536], l=f32[65536], v=f32[65536])
__global__ void r201_memory(R201Plain *p, R201Default *q, R201Long *l, float *v) {
  int t = threadIdx.x;
  new (p + t * 2) R201Plain();
  new (q + t) R201Default();
  new (v + t * 8) float2{1, 2};
  if (t < 8) new (l + t) R201Long();
}
