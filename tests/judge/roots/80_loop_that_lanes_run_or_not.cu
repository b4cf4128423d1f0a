// A loop of four iterations that only some lanes run at all: its condition is that of the lanes alone, once the counter
// is in its range, and one iteration was counted.
//@ launch warps grid=(1) block=(128) args(a=f64[65536], n=?16)
__global__ void warps(double *a, const int n) {
  int t = threadIdx.x;
  for (int i = 0; i < 4 && t / 32 % 3 == 0; i++) a[t] = 1;
}
//@ launch lanes grid=(1) block=(128) args(a=f64[65536], n=?16)
__global__ void lanes(double *a, const int n) {
  int t = threadIdx.x, i = 0;
  while (i++ < 4 && t % 3 == 0) a[t] = 1;
}
//@ launch first grid=(1) block=(128) args(a=f64[65536], n=?16)
__global__ void first(double *a, const int n) {
  int t = threadIdx.x;
  for (int i = 0; i < 4 && t < 64; i++) a[t] = 1;
}
