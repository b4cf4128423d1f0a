// `T{x}` prefers a constructor that takes a list, wherever it stands.
#include <initializer_list>
struct List {
  int v;
  __host__ __device__ List(int a) : v(a) {}
  __host__ __device__ List(std::initializer_list<int> l) : v(l.size() + 4) {}
};
__device__ int take(List i) {
  return i.v;
}

__global__ void k(float *a, int n, int m) {
  List d = {3};
  a[threadIdx.x * d.v] = 1;
  a[threadIdx.x * take({2})] = 1;
  a[threadIdx.x * take(2)] = 1;
  a[threadIdx.x * List{2}.v] = 1;
  a[threadIdx.x * n + m] = 1;
}

int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 16);
  List a{3}, b(3), c = {3}, d = 3;
  k<<<1, 32>>>(p, a.v, b.v);
  k<<<1, 32>>>(p, c.v, d.v);
  k<<<1, 32>>>(p, List{3}.v, List(3).v);
  return 0;
}
