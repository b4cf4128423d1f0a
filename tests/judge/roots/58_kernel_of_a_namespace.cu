// A kernel of a namespace, launched by its last name in a function of that namespace.
namespace outer {
namespace inner {
template <int B, class T> __global__ void k(T *a) {
  a[threadIdx.x * B] = 1;
}
template <class T> int launch(T *a, unsigned n) {
  k<4, T><<<n, 32>>>(a);
  return 0;
}
} // namespace inner
} // namespace outer
using namespace outer;
int main() {
  float *p;
  cudaMalloc(&p, 65536);
  inner::launch(p, 2);
}
