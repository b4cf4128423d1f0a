#include <cuda_runtime.h>
// A function is followed once for each type it is called with; an enumeration is none of the numbers.
enum class Kind : short { small = 2 };
template <class T> struct Of {
  static constexpr int stride = 1, block = 32;
};
template <> struct Of<Kind> {
  static constexpr int stride = 4, block = 64;
};
template <class T> __global__ void rows(float *a, T v) { a[threadIdx.x * Of<T>::stride] = int(v); }
template <class T> static void go(float *p, T v) { rows<T><<<1, Of<T>::block>>>(p, v); }
template <class T> static void all(float *p, T v) { rows<T><<<2, 32>>>(p, v); }
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  short s = 2;
  go(p, s);
  go(p, Kind::small);
  enum Size { two = 2, three };
  all(p, two);
  all(p, 2);
  Kind k = Kind::small;
  all(p, k);
  return 0;
}
