// A function that returns out of a loop, each lane in another iteration.
//@ launch r13_result_out_of_a_loop grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__device__ int find13(int t) {
  for (int i = 0; i < 32; ++i)
    if (i == t)
      return i * 8;
  return 0;
}
__global__ void r13_result_out_of_a_loop(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[find13(t)] = 1;
}
