// `x++` is another function than `++x`, and an operator that is not chosen may give a part of its object.
struct Step50 {
  int i;
  __device__ Step50 &operator++() { i += 2; return *this; }
  __device__ Step50 operator++(int) { Step50 r(*this); i += 5; return r; }
  __device__ int operator*() const { return i; }
  __device__ int operator[](int k) const { return i; }
  __device__ int &operator[](int k) { return i; }
};
__global__ void r50_step(float *a) {
  int t = threadIdx.x;
  Step50 x{1};
  a[t * *x++] = 1;
  a[t * *x] = 2;
  a[t * *++x] = 3;
  x[0] = 4;
  a[t * x.i] = 4;
}
