// A macro that is not known may decide whether, and how often, what stands behind it runs: all lanes were taken to run
// it once. A statement behind a mere word was read as a declaration, and its accesses were dropped.
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_1
// Only the judge's compiler has these.
#define IF_ODD(x) if ((x) & 1)
#define EVERY(x, n) for (int k = 0; k < 3; ++k)
#define LEADER if (t < 3)
#endif
//@ launch r204 grid=(2) block=(64) args(o=f32[65536], n=?16)
__global__ void r204(float *o, int n) {
  int t = threadIdx.x, i = 1;
  IF_ODD(t) o[t] = 1;
  EVERY(t, n)
    i += 2;
  o[t * i] = 1;
}
//@ launch r204_inside grid=(2) block=(64) args(o=f32[65536], n=?16)
__global__ void r204_inside(float *o, int n) {
  int t = threadIdx.x;
  switch (n & 1) {
    case 0:
      IF_ODD(t) o[t * 2] = 1;
      break;
    default:
      IF_ODD(t) EVERY(t, n) o[t * 3] = 1;
  }
}
//@ launch r204_word grid=(2) block=(64) args(o=f32[65536], n=?16)
__global__ void r204_word(float *o, int n) {
  int t = threadIdx.x;
  LEADER o[t * 2] = 1;
  o[t] = 2;
}
