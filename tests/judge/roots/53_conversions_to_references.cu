// A conversion to a reference gives the place itself.
struct Ref {
  int *p;
  __device__ operator int &() { return *p; }
};
struct Own {
  int v;
  __device__ operator int &() { return v; }
  __device__ operator const int &() const { return v; }
};
__device__ void more(int &x) { x += 2; }
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x, x = 3;
  Ref r{&x};
  int &y = r;
  y = 5;
  a[t * x] = 1;
  static_cast<int &>(r) = 6;
  a[t * x] = 1;
  more(r);
  a[t * x] = 1;
  r += 4;
  a[t * x] = 1;
  Own o{3};
  int &w = o;
  w = 7;
  a[t * o.v] = 1;
  more(o);
  a[t * o.v] = 1;
}
