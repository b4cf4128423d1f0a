// A pointer that shared memory holds points to shared memory.
//@ launch r30_pointer_in_shared_memory grid=(2) block=(64) args(o=i32[65536])
__global__ void r30_pointer_in_shared_memory(int *o) {
  __shared__ int list[64 * 8];
  __shared__ int *kept;
  int t = threadIdx.x;
  if (t == 0) kept = list;
  __syncthreads();
  kept[t * 8] = t;
  o[t] = t;
}
