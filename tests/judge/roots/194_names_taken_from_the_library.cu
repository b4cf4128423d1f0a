#include <algorithm>
#include <cstdint>
// `using std::max;` in a namespace of one's own: its name is the library's in constants, too. An alignment that calls it
// was not known, and so no member of the class.
namespace own {
using std::max;
using std::min;
} // namespace own
namespace all {
using namespace std;
}
template <class T> constexpr uint32_t widest(uint32_t size) { return sizeof(T) * (size & ~(size - 1)); }
template <class T, uint32_t size_>
struct alignas(own::max<uint32_t>(alignof(T), own::min<uint32_t>(widest<T>(size_), 16))) Vec {
  static constexpr uint32_t size = size_;
  T data[size];
  __device__ T &operator[](uint32_t i) { return data[i]; }
};
//@ launch taken grid=(1) block=(64) args(out=f32[4096])
__global__ void taken(float *out) {
  __shared__ Vec<float, 4> rows[64];
  __shared__ Vec<float, 3> odd[64];
  int t = threadIdx.x;
  rows[t][1] = 1;
  odd[t][0] = 2;
  __syncthreads();
  constexpr int n = all::max(2, 3);
  out[t * (int)sizeof(Vec<float, 2>)] = rows[t][n];
  out[t * n] = odd[t ^ 1][2];
}
