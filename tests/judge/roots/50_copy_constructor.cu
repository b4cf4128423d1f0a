// A copy constructor that changes what it copies.
struct Copied50 {
  int v;
  __device__ Copied50(int v) : v(v) {}
  __device__ Copied50(const Copied50 &o) : v(o.v + 2) {}
};
struct Plain50 {
  int x, y;
  __device__ Plain50(int x, int y) : x(x), y(y) {}
  __device__ Plain50(const Plain50 &o) : x(o.x) { y = o.y; }
};
struct Holder50 {
  Copied50 c;
  int k;
};
__device__ inline int take50(Copied50 c) { return c.v; }
__device__ inline int take50(Plain50 p) { return p.y; }
__global__ void r50_copy(float *a) {
  int t = threadIdx.x;
  Copied50 x(1);
  a[t * take50(x)] = 1;
  Copied50 y = x;
  a[t * y.v] = 2;
  Copied50 z(x);
  a[t * z.v] = 3;
  auto f = [x] { return x.v; };
  a[t * f()] = 4;
  Holder50 h{x, 3};
  Holder50 g = h;
  a[t * g.c.v] = 5;
  Plain50 p(2, 3);
  Plain50 q = p;
  a[t * q.y] = 6;
  a[t * take50(p)] = 7;
}
