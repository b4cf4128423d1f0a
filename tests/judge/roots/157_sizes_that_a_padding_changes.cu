// What a kernel stores may depend on how long the rows of an array are: such an array is not padded.
template <int R, int C>
__device__ int columns(float (&)[R][C]) {
  return C;
}

//@ launch by_size grid=(1) block=(32,32) args(o=f32[65536], a=f32[65536])
__global__ void by_size(float *o, const float *a) {
  __shared__ float t[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  t[y][x] = a[y * 32 + x];
  __syncthreads();
  o[y * 32 + x] = t[x][y] + columns(t);
}

//@ launch by_distance grid=(1) block=(32,32) args(o=f32[65536], a=f32[65536])
__global__ void by_distance(float *o, const float *a) {
  __shared__ float t[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  t[y][x] = a[y * 32 + x];
  __syncthreads();
  float far = &t[1][0] - &t[0][0];
  o[y * 32 + x] = t[x][y] + far;
}

//@ launch by_condition grid=(1) block=(32,32) args(o=f32[65536], a=f32[65536])
__global__ void by_condition(float *o, const float *a) {
  __shared__ float t[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  t[y][x] = a[y * 32 + x];
  __syncthreads();
  float more = 1;
  if (sizeof(t[0]) % 256 == 0)
    more = 2;
  o[y * 32 + x] = t[x][y] + more + __shfl_xor_sync(~0u, sizeof(t) / 4, 1);
}

//@ launch by_kept_pointers grid=(1) block=(32,32) args(o=f32[65536], a=f32[65536])
__global__ void by_kept_pointers(float *o, const float *a) {
  __shared__ float t[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  float *ends[2] = {t[0], t[31]};
  t[y][x] = a[y * 32 + x];
  __syncthreads();
  o[y * 32 + x] = t[x][y] + ends[1][x] + (ends[1] - ends[0]);
}

//@ launch by_address grid=(1) block=(32,32) args(o=f32[65536], a=f32[65536])
__global__ void by_address(float *o, const float *a) {
  __shared__ float t[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  t[y][x] = a[y * 32 + x];
  __syncthreads();
  unsigned long long row = (unsigned long long)&t[y][0], start = (unsigned long long)&t[0][0];
  o[y * 32 + x] = t[x][y] + (float)(row - start);
}
