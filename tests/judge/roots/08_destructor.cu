// What a destructor does where its scope ends.
//@ launch r08_destructor grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
struct Guard08 {
  int &x;
  __device__ Guard08(int &y) : x(y) { x = 8; }
  __device__ ~Guard08() { x = 1; }
};
__device__ int scoped08(int &x) {
  Guard08 g(x);
  return x;
}
__global__ void r08_destructor(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int x = 4;
  {
    Guard08 g(x);
    a[t * x] = 1;
  }
  a[t * x + 1] = 2;
  for (int i = 0; i < 3; i++) {
    Guard08 g(x);
    if (i == (n & 1))
      break;
  }
  a[t * x + 2] = 3;
  x = 2;
  int k = scoped08(x);
  a[t * k + 3] = 4;
  a[t * x + 4] = 5;
}
