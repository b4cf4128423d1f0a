// `nullptr` deduces no `T *`: a template that takes pointers was called with it, where another one takes anything.
template <class T> __device__ int of(T x) { return sizeof(T); }
template <class T> __device__ int of(T *x) { return 3; }
__device__ int of(...) { return 9; }
template <class T> __device__ int only(T *x) { return 3; }
__device__ int only(...) { return 9; }
//@ launch nulls grid=(1) block=(64) args(out=f32[4096])
__global__ void nulls(float *out) {
  int t = threadIdx.x;
  void *p = out;
  out[t * of(nullptr)] = 1;
  out[t * of(out)] = 1;
  out[t * of(p)] = 1;
  out[t * only(nullptr)] = 1;
  out[t * only(out)] = 1;
}
