// Members and template parameters that have the names of built-in variables.
struct Index3 {
  int x, y;
};
struct Threads {
  Index3 threadIdx;
  int warpSize;
  __device__ int at(int t) { return t * threadIdx.x + warpSize; }
  __device__ int by_lambda(int t) {
    return [&] { return t * warpSize; }();
  }
};
template <int blockDim> __device__ int scaled(int t) { return t * blockDim; }
//@ launch r51_members_like_built_ins grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_members_like_built_ins(float *a) {
  int t = threadIdx.x;
  Threads s{{2, 3}, 4};
  a[s.at(t)] = 1;
  a[s.by_lambda(t)] = 2;
  a[scaled<3>(t)] = 3;
}
