// A namespace is found by its last name where a directive uses the one that holds it.
template <int B, class T> __global__ void k(T *a) {
  a[threadIdx.x * B] = 1;
}
namespace outer {
namespace inner {
template <class T> int launch(T *a, unsigned n) {
  k<4, T><<<n, 32>>>(a);
  return 0;
}
__device__ int scaled(int x) { return x * 16; }
} // namespace inner
namespace far {
namespace deep {
constexpr int step = 8;
}
} // namespace far
} // namespace outer
using namespace outer;
using namespace far;
struct local {
  static constexpr int step = 2;
};
namespace other {
namespace local {
constexpr int step = 32;
}
} // namespace other
__global__ void q(float *a) {
  int t = threadIdx.x;
  a[inner::scaled(t)] = 1;
  a[t * deep::step] = 1;
  a[t * local::step] = 1;
}
int main() {
  float *p;
  cudaMalloc(&p, 65536);
  inner::launch(p, 2);
  q<<<2, 64>>>(p);
}
