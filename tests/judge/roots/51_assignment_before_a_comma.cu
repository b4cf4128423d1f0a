// `(j += 1, …)` begins like a fold.
//@ launch r51_assignment_before_a_comma grid=(2) block=(64) args(a=f32[65536], n=?5)
__global__ void r51_assignment_before_a_comma(float *a, int n) {
  int t = threadIdx.x, j = 1;
  a[(j += 1, j * t)] = 1;
  a[(j <<= 1, j * t)] = 2;
  int x = (j -= 3, t), y = (j = 2, j *= 2, j * t);
  a[x * j] = 3;
  while ((j += n, j) < 9) a[y] = 4;
}
