// Rows of 8 columns: cases of a stride hold above the exceptions that are listed before.
//@ launch r30_rule_above_exceptions grid=(2) block=(8, 8) args(a=u16[65536], stride=?8)
__global__ void r30_rule_above_exceptions(unsigned short *a, int stride) {
  a[threadIdx.y * stride + threadIdx.x] += 1;
}
