// What a ballot gives is a table that the block number selects from: its values are not those of `blockIdx.x`.
//@ launch k1190 grid=(2) block=(32,4) args(a=f32[65536], b=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void k1190(float *a, const float *b, const int *d, int n, int m) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int r2 = int(__ballot_sync(~0u, t < 31) & 31);
  a[t * r2] += 1;
}
