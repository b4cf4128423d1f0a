// A choice between an object and a number, where only lowering knows that it is an object: a template gives it.
//@ launch chosen grid=(2) block=(64) args(a=f32[65536], n=?100)
struct C {
  int v;
  __device__ operator int() const { return v * 2; }
};
template <class T> __device__ auto made(T t) { return C{(int)t}; }
template <class T> __device__ auto word(T t) { return (unsigned)t; }
__global__ void chosen(float *a, int n) {
  int t = threadIdx.x;
  a[t * (t & 1 ? made(3) : 5)] = 1;
  a[t * (n > 3 ? made(3) : 5)] = 1;
  a[t * (n > 3 ? 5 : made(2))] = 1;
  a[t * (true ? made(3) : 5)] = 1;
  a[t * (false ? 1 : made(2))] = 1;
  a[t * (sizeof(int) == 4 ? 2 : made(2))] = 1;
  a[((true ? t - 40 : word(1)) >> 27) * 2] = 1;
  a[(((n > 3 ? t : word(t)) - 40) >> 27) * 2] = 1;
}
