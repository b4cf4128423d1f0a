// A constructor that is not chosen may change what it is given.
struct Own50 {
  int v;
  __device__ Own50(int v) : v(v) {}
  __device__ Own50(Own50 &&o) : v(o.v + 10) { o.v = 8; }
};
__global__ void r50_moved(float *a) {
  int t = threadIdx.x;
  Own50 x(1);
  Own50 y(static_cast<Own50 &&>(x));
  a[t * x.v] = 1;
  a[t * y.v] = 2;
}
