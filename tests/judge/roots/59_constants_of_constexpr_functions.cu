// In a constexpr function a local constant hides one of the file, in template arguments, too.
constexpr int I = 1;
template <int D> constexpr __host__ __device__ int g() { return D; }
template <int D> struct S {
  static constexpr int value = D;
};
constexpr __host__ __device__ int h(int n) {
  constexpr int I = 3;
  return g<I>() + n;
}
constexpr __host__ __device__ int in_block(int n) {
  if (n > 2) {
    const int I = 8;
    return g<I>();
  }
  return g<I>();
}
constexpr __host__ __device__ int in_head(int n) {
  if (constexpr int I = 6; n > 2)
    n += g<I>();
  return n * S<I + 1>::value;
}
constexpr __host__ __device__ int in_switch(int n) {
  switch (n) {
  case 1: {
    constexpr int I = 4;
    return S<I>::value;
  }
  default:
    break;
  }
  return S<I + 1>::value;
}
__global__ void k(float *a) {
  int t = threadIdx.x;
  constexpr int p = h(1), q = in_block(3), r = in_block(1), s = in_head(3), u = in_switch(1), v = in_switch(2);
  a[t * p] = 1;
  a[t * q] = 1;
  a[t * r] = 1;
  a[t * s] = 1;
  a[t * u] = 1;
  a[t * v] = 1;
}
int main() {
  float *a;
  cudaMalloc(&a, 65536);
  k<<<1, 64>>>(a);
}
