// A reference to an array takes no pointer; one to an array of constants suits an array better than a pointer to
// constants does. Neither was known, so a call had no meaning.
__device__ int at(const int (&a)[4]) { return 5; }
__device__ int at(const float (&a)[4]) { return 7; }
__device__ int at(const int *a) { return 3; }
template <class T, int N> __device__ int of(const T (&a)[N]) { return N; }
template <class T> __device__ int of(const T *const &a) { return 9; }
//@ launch arrays grid=(1) block=(64) args(out=f32[1024], n=3)
__global__ void arrays(float *out, int n) {
  int t = threadIdx.x;
  int v[4] = {t, n, 2, 1};
  out[t * at(v)] = 1;
  out[t * at(v + 1) + 1] = 1;
  out[t * at(&v[n & 1])] = 1;
  out[t * of(v)] = 1;
}
