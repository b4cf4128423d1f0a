// Through a reference to its base, a local object's own function is called; in its base's constructor not yet.
struct Shape50 {
  int seen;
  __device__ Shape50() { seen = width(); }
  __device__ virtual int width() const { return 1; }
  __device__ int twice() const { return width() * 2; }
};
struct Wide50 : Shape50 {
  __device__ int width() const override { return 3; }
};
__global__ void r50_virtual(float *a) {
  int t = threadIdx.x;
  Wide50 w;
  Shape50 &s = w;
  a[t * s.width()] = 1;
  a[t * s.twice()] = 2;
  a[t * s.Shape50::width()] = 3;
  a[t * w.seen] = 4;
  Shape50 copy = w;
  a[t * copy.width()] = 5;
}
