// Overloads that several declarations or directives bring in are one set; what a directive brings in is hidden by the
// namespaces within the one that is around both.
struct V { float x; };
namespace lib {
constexpr int w = 3;
struct W { float x; };
__device__ int f() { return 3; }
struct T { int x[3]; };
__device__ int swapped(W, W) { return 3; }
}
namespace A { __device__ int g(int) { return 3; } }
namespace B { __device__ int g(long) { return 2; } }
namespace out {
__device__ int g(float) { return 5; }
__device__ int swapped(V, V) { return 2; }
}
namespace C { __device__ int h(int) { return 3; } }
__device__ int h(long) { return 2; }
using namespace C;
namespace app {
constexpr int w = 2;
__device__ int f() { return 2; }
struct T { int x[2]; };
__device__ int go(int which) {
  using namespace lib;
  return which == 0 ? w : which == 1 ? f() : (int)sizeof(T) / 4;
}
}
//@ launch k grid=(2) block=(64) args(a=f32[65536], n=?5)
__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  {
    using A::g;
    using B::g;
    a[t * g(1)] = 1;
    a[t * g(1l)] = 1;
  }
  {
    using out::g;
    using A::g;
    a[t * g(1.f)] = 1;
  }
  {
    using namespace A;
    using namespace B;
    using namespace out;
    a[t * g(1)] = 1;
    a[t * g(1l)] = 1;
    a[t * g(1.f)] = 1;
  }
  {
    using out::swapped;
    a[t * swapped(lib::W(), lib::W())] = 1;
    a[t * swapped(V(), V())] = 1;
  }
  a[t * h(1)] = 1;
  a[t * h(1l)] = 1;
  a[t * app::go(0)] = 1;
  a[t * app::go(1)] = 1;
  a[t * app::go(2)] = 1;
}
