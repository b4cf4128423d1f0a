// Which of two overloads is meant depends on `const`.
//@ launch r25_const_overload grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
struct View25 {
  float *p;
  __device__ float &at(int i) { return p[i]; }
  __device__ float at(int i) const { return p[i * 8]; }
};
__device__ float use25(const View25 &v, int t) { return v.at(t); }
__global__ void r25_const_overload(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  View25 v{a};
  a[t * 2 + 4096] = 1;
  const View25 &c = v;
  v.at(t) = use25(v, t) + c.at(t + 64);
}
