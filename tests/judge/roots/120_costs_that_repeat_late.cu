// What is said of sizes above a bound holds for a whole period of them, not for the last two that were tried.
//@ launch k grid=(1) block=(32) args(a=u8[65536], n=?100)
__global__ void k(unsigned char *a, int n) {
  int t = threadIdx.x;
  int i = n * 31;
  if (t % 4 == 0) i = t * 17;
  a[i + t * 4] += 1;
}
