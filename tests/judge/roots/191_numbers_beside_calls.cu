#include <limits>
// `c ? a[i] : f<T>(x)` reads a number from the array, in the lanes that choose it. Where the type of `x` was not
// found, one of two places was read, the call's result being a place: nobody knew which memory that was.
template <class To, class From> __device__ To cast(From x) { return x; }
template <> __device__ short cast<short, int>(int x) { return x + 1; }
template <class T> __device__ T least() { return cast<T>(std::numeric_limits<int>::min()); }
template <class T> __device__ T all(T x) {
  __shared__ T part[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) part[warp] = x;
  __syncthreads();
  x = lane < 2 ? part[lane] : cast<T>(-std::numeric_limits<int>::max());
  x = lane < 3 ? part[lane] : cast<T>(std::numeric_limits<short>::max());
  return lane < 4 ? part[lane * 2] : least<T>();
}
//@ launch beside grid=(1) block=(64) args(out=i32[1024], n=3)
__global__ void beside(int *out, int n) {
  out[threadIdx.x] = all<int>(n);
  out[threadIdx.x * 2] = all<short>(n);
}
