// A copy by default copies, whatever else the class has.
struct Kept {
  int v = 3;
  Kept() = default;
  __device__ Kept(int k) : v(k) {}
  Kept(const Kept &) = default;
  Kept(Kept &&) = default;
  Kept &operator=(const Kept &) = default;
  Kept &operator=(Kept &&) = default;
  __device__ Kept &operator=(int k) { v = k + 1; return *this; }
};
struct Forward {
  int v;
  __device__ Forward(int x) : v(x) {}
  template <class T> __device__ Forward(T &&x) : v(x.v * 2) {}
};
__device__ Kept same(Kept k) { return k; }
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  Kept p(5);
  Kept q(p);
  a[t * q.v] = 1;
  Kept r{p}, s = p;
  a[t * (r.v + s.v - 4)] = 1;
  Kept w(7);
  w = p;
  a[t * w.v] = 1;
  w = 3;
  a[t * w.v] = 1;
  Kept n(static_cast<Kept &&>(w));
  a[t * n.v] = 1;
  w = static_cast<Kept &&>(p);
  a[t * w.v] = 1;
  a[t * same(p).v] = 1;
  Forward f(3), g(f);
  a[t * g.v] = 1;
  const Forward h(3);
  Forward i(h);
  a[t * i.v] = 1;
}
