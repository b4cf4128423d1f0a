// int& and int&& are two instances; `int *const` and `const int *` are shown by each other's names.
#include <type_traits>
template <class T> __global__ void r(float *p) { p[threadIdx.x * (std::is_rvalue_reference_v<T> ? 2 : 1)] = 1; }
template <class T> __global__ void c(float *p) { p[threadIdx.x * (std::is_same_v<T, const int *> ? 2 : 1)] = 1; }
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  r<int &><<<1, 32>>>(p);
  r<int &&><<<1, 32>>>(p);
  c<int *const><<<1, 32>>>(p);
  c<const int *><<<1, 32>>>(p);
}
