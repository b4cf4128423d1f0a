// A pointer that shared memory holds.
//@ launch r17_pointer_in_shared_memory grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r17_pointer_in_shared_memory(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  __shared__ float s17w[64];
  __shared__ float *held17[2];
  if (t == 0) {
    held17[0] = s17w;
    held17[1] = a + 1;
  }
  __syncthreads();
  held17[n & 1][t] = 1;
}
