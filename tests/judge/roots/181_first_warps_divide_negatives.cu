// What is divided is negative in the first warp of every block: "divided index values are not negative" was assumed,
// as other warps divide none. A guard may see to it, or say nothing of it.
//@ launch remainder grid=(2) block=(64) args(a=f32[65536], n=?50)
__global__ void remainder(float *a, int n) {
  int t = threadIdx.x;
  a[(t - 20) % 8 * 8 + 64] = 1;
}
//@ launch quotient grid=(2) block=(128) args(a=f32[65536], n=?50)
__global__ void quotient(float *a, int n) {
  int t = threadIdx.x;
  a[(t - 13) / 4 * 8 + 64] = 1;
  a[(t - n) / 4 * 8 + 2048] = 1;
}
//@ launch guarded grid=(2) block=(64) args(a=f32[65536], n=?50)
__global__ void guarded(float *a, int n) {
  int t = threadIdx.x;
  if (t >= 20) a[(t - 20) % 8 * 8 + 64] = 1;
  if (t < n) a[(t - 20) % 8 * 8 + 64] = 1;
  if (t >= 32) a[(t - 32) / 4 * 8] = 1;
}
//@ launch rows grid=(2) block=(8,8) args(a=f32[65536], n=?50)
__global__ void rows(float *a, int n) {
  int x = threadIdx.x, y = threadIdx.y - 3;
  a[(y / 2 * 8 + x) * 4 + 256] = 1;
  if (y >= 0) a[(y / 2 * 8 + x) * 4 + 256] = 1;
}
