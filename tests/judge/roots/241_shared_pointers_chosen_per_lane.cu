// A pointer that each lane chooses between arrays of shared memory leads to shared memory.
__global__ void r241_chosen(float *p) {
  __shared__ float a[64], b[64];
  int t = threadIdx.x & 31;
  float *q = t & 1 ? a : b;
  q[t] = t;
  float *r = t & 2 ? q : a;
  r[t + 32] = 1;
  __syncthreads();
  p[t] = q[t] + r[t + 32];
  float *s = t & 1 ? p : p + 64;
  s[t] = 2;
}
