// The class that is named chooses function and default arguments, the class that was made the body; operators, too.
struct Base {
  __device__ virtual int v(int s = 2) { return s; }
  __device__ int nv() { return v(); }
  __device__ virtual int operator()(int s = 2) { return s; }
  __device__ virtual operator int() { return 6; }
  __device__ virtual int operator[](int i) { return 2 * i; }
};
struct Dv : Base {
  __device__ int v(int s = 5) override { return s; }
  __device__ int operator()(int s = 3) override { return s + 2; }
  __device__ operator int() override { return 7; }
  __device__ int operator[](int i) override { return 3 * i; }
};
struct Priv { __device__ virtual int w(long) { return 3; } };
struct Pw : Priv { __device__ int w(int) { return 4; } };
//@ launch k grid=(2) block=(64) args(a=f32[65536], n=?5)
__global__ void k(float *a, int n) {
  Dv d;
  Base &b = d;
  int t = threadIdx.x;
  a[t * b.v()] = 1;
  a[t * b.v(4)] = 1;
  a[t * d.v()] = 1;
  a[t * d.nv()] = 1;
  a[t * b()] = 1;
  a[t * b(1)] = 1;
  a[t * (int)b] = 1;
  a[t * b[1]] = 1;
  int i = b;
  a[t * i] = 1;
  Pw p;
  Priv &q = p;
  a[t * q.w(1)] = 1;
  a[t * p.w(1)] = 1;
}
