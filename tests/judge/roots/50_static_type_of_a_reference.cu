// A reference or pointer to a base class names the base's own members, and moves to where they are.
struct First50 { int z = 6; };
struct Base50 {
  int k = 1;
  __device__ int get() const { return k; }
};
struct Derived50 : First50, Base50 {
  int k = 4;
  __device__ int get() const { return k + 2; }
};
__global__ void r50_static_type(float *a) {
  int t = threadIdx.x;
  Derived50 d;
  Base50 &b = d;
  a[t * b.get()] = 1;
  b.k = 3;
  a[t * d.k] = 2;
  a[t * d.Base50::k] = 3;
  a[t * d.Base50::get()] = 4;
  a[t * static_cast<Base50 &>(d).k] = 5;
  Base50 *p = &d;
  p->k = 5;
  a[t * static_cast<Derived50 *>(p)->k] = 6;
  a[t * p->k] = 7;
}
