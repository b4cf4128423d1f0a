#include <cuda_runtime.h>
#include <type_traits>
// Variables that hold kernels, pointers to them, parameters declared `auto*`, members set by name, a
// template beside a function of the toolkit, and assignments in the configuration of a launch in parentheses.
template <int B> __global__ void by(float *a, int n) { a[threadIdx.x * B + n] = 1; }
template <int B> __global__ void of_size(float *a, int n) { a[threadIdx.x * B + n] = 2; }
template <class T> __global__ void typed(T *a, int n) { a[threadIdx.x * n] = 3; }
__global__ void rows(float *a, int n) { a[threadIdx.x * n] = 4; }
typedef void (*Kernel)(float *, int);
static Kernel nested(bool a, bool b) {
  return [&] {
    if (a) {
      constexpr int X = 1;
      return [&] {
        if (b) {
          constexpr int Y = 2;
          return by<X * 4 + Y>;
        } else {
          constexpr int Y = 3;
          return by<X * 4 + Y>;
        }
      }();
    } else {
      constexpr int X = 2;
      return by<X>;
    }
  }();
}
template <class T> static Kernel pick() { return of_size<sizeof(T)>; }
static void choose(Kernel *to, bool a) { *to = a ? by<3> : by<4>; }
static void choose(Kernel &to) { to = by<9>; }
template <class F> static void dispatch(bool a, F &&f) {
  if (a)
    f((float *)0);
  else
    f((double *)0);
}
struct Shape {
  int block = 32, grid = 1;
  double scale = 2;
};
namespace mine {
template <class T> static T max(T a, T b) { return a < b ? a : b; }
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  {
    auto f = nested(argc > 1, argc > 2);
    f<<<1, 32>>>(p, 3);
  }
  {
    Kernel f = pick<float>();
    f<<<1, 48>>>(p, 3);
  }
  Kernel q;
  choose(&q, argc > 1);
  q<<<1, 64>>>(p, 5);
  choose(q);
  q<<<1, 96>>>(p, 5);
  dispatch(argc > 1, [&](auto *t) {
    using T = std::remove_pointer_t<decltype(t)>;
    typed<T><<<1, 32>>>((T *)p, 2);
  });
  Shape s;
  s = Shape{.grid = 3, .scale = 5};
  rows<<<s.grid, s.block>>>(p, s.scale / 2);
  int block = 16;
  (rows<<<1, block += 16>>>(p, 9));
  (rows<<<3, block *= 2>>>(p, 9)), block++;
  rows<<<5, block>>>(p, 9);
  using namespace mine;
  rows<<<2, 32>>>(p, max(3, 7));
  return 0;
}
