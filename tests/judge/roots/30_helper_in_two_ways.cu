// A helper that all lanes call, and some: what is taken for granted of one way is not of the other.
//@ launch r30_helper_in_two_ways grid=(2) block=(64) args(a=f32[65536], o=f32[65536], n=?5)
__device__ float r30_get(const float *p) { return p[0]; }
__global__ void r30_helper_in_two_ways(const float *a, float *o, int n) {
  __shared__ float s[64 * 8];
  int t = threadIdx.x;
  for (int i = 0; i < 8; i++) s[t * 8 + i] = a[t];
  __syncthreads();
  float v = r30_get(s + t * 4);
  for (int i = t; i < n; i += 64) v += r30_get(s + i % 64 * 8);
  o[t] = v;
}
