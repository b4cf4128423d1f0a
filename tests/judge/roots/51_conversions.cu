// Explicit conversions take no part where nobody wrote one; a choice of two arithmetic types has their common one.
struct Length {
  int v;
  __device__ explicit operator bool() const { return v > 3; }
  __device__ operator int() const { return v; }
};
struct Longer : Length {
  __device__ operator int() const { return v * 2; }
};
struct Apart {
  int v;
  __device__ operator int() const;
};
__device__ Apart::operator int() const { return v * 3; }
__device__ int scaled(char c, int t) { return t * 4; }
__device__ int scaled(int c, int t) { return t; }
//@ launch r51_conversions grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_conversions(float *a) {
  int t = threadIdx.x;
  Length z{8};
  a[t * z] = 1;
  if (z) a[t * 2] = 2;
  Longer l;
  l.v = 2;
  a[t * l] = 3;
  Apart p{2};
  a[t * p] = 4;
  a[scaled(true ? 'a' : 1, t)] = 5;
}
