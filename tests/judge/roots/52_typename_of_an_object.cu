// A member of an object whose dependent class is made in place.
struct Storage {
  float v[128];
};
template <class T> struct Traits {
  struct Scan {
    T &s;
    __device__ Scan(T &s) : s(s) {}
    __device__ void sum(float x) { s.v[threadIdx.x * 2 % 128] = x; }
  };
};
template <class X> __device__ void scan(float *a, Storage &sm) {
  float x = a[threadIdx.x];
  typename X::Scan(sm).sum(x);
  a[threadIdx.x * 2] = x;
}
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  __shared__ Storage sm;
  scan<Traits<Storage>>(a, sm);
}
