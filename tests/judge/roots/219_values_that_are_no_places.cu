// A result by value and a cast are objects of their own; elements of a pack are what they are when they are evaluated.
struct T219 {
  int v = 1;
  __device__ T219 inc() { v++; return *this; }
  __device__ void set(int x) { v = x; }
  __device__ virtual int f() { return 2; }
};
struct U219 : T219 { __device__ int f() override { return 4; } };
__device__ inline T219 cp219(T219 &t) { return t; }
__device__ inline int up219(int &i) { return ++i; }
template <class... X> __device__ int all219(X... f) { int v[] = {f()...}; return v[0] * 4 + v[1]; }
//@ launch r219_values_that_are_no_places grid=(1) block=(64) args(a=i32[65536])
__global__ void r219_values_that_are_no_places(int *a) {
  int t = threadIdx.x;
  T219 u, w, z;
  u.inc().inc();
  a[t * u.v] = 1;
  const T219 &r = cp219(w);
  w.v = 5;
  a[t * r.v] = 1;
  static_cast<T219>(z).set(7);
  a[t * z.v] = 1;
  U219 d;
  a[t * static_cast<T219>(d).f()] = 1;
  int i = 0;
  a[t * all219([&] { return up219(i); }, [&] { return ++i; })] = 1;
}
