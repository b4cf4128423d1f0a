// Functions of a namespace, or of a class, with names that built-in functions have.
namespace own {
__device__ int atomicAdd(float *p, int x) {
  p[threadIdx.x * 2] = x;
  return 2;
}
__device__ int __popc(int x) { return x * 2; }
__device__ int inside(float *p) { return atomicAdd(p, 3) + 1; }
struct Of {
  __device__ static int atomicMax(float *p, int x) {
    p[threadIdx.x * 4] = x;
    return 3;
  }
};
} // namespace own
//@ launch r55_own grid=(1) block=(32) args(a=f32[65536], n=?6)
__global__ void r55_own(float *a, int n) {
  int t = threadIdx.x;
  a[t * own::atomicAdd(a, 2)] = 1;
  a[t * own::__popc(2)] = 1;
  a[t * own::inside(a)] = 1;
  a[t * own::Of::atomicMax(a, 1)] = 1;
}
