// A function of its argument's namespace fits better than a template that is in sight.
namespace n50 {
struct O { int v; };
__device__ inline int near50(O o) { return 3; }
}
template <class T> __device__ int near50(T) { return 7; }
__global__ void r50_associated(float *a) {
  int t = threadIdx.x;
  n50::O o{2};
  a[t * near50(o)] = 1;
  a[t * near50(2)] = 2;
}
