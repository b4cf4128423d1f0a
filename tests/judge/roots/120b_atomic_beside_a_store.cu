// One thread stores where all of them count: what is there in the end depends on their order, with the fix and without it.
//@ launch r120b_atomic_beside_a_store grid=(3) block=(20) args(a=f32[65536], b=f32[65536], n=?33)
__global__ void r120b_atomic_beside_a_store(float *a, const float *b, int n) {
  __shared__ float s[2048];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 1;
  a[1] = v;
  v += b[t + 3];
  int place = atomicAdd((int *)a, 1);
  s[(t * 27) & 2047] = v;
  s[(t * 4) & 2047] = place;
  a[t] = v;
}
