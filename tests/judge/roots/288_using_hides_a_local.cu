// A using-declaration in an inner block hides the local variable of that name.
namespace a { __device__ int h(int x) { return x * 2; } constexpr int n = 3; __device__ float arr[4096]; }
__global__ void k1(float* o) {
  auto h = [](int x) { return x * 8; };
  { using a::h; o[h((int)threadIdx.x)] = 1; }
  o[h((int)threadIdx.x) + 1] = 1;
}
__global__ void k2(float* o) {
  int n = 8;
  { using a::n; o[threadIdx.x * n] = 1; }
  o[threadIdx.x * n + 1] = 1;
}
__global__ void k3(float* o, int n) {
  if (n > 2) { using a::n; o[threadIdx.x * n] = 1; }
}
__global__ void k4(float* o) {
  for (int n = 0; n < 2; ++n) { using a::n; o[threadIdx.x * n] = 1; }
}
__global__ void k5(float* o) {
  int n = 8;
  { int a = n; o[threadIdx.x * a] = 1; }
  { using namespace a; o[threadIdx.x * n] = 1; }
}
__global__ void k6(double* arr) {
  { using a::arr; arr[threadIdx.x * 3] = 1; }
  arr[threadIdx.x * 2] = 1;
}
int main() {
  float* d;
  cudaMalloc(&d, 1 << 16);
  k1<<<1, 32>>>(d);
  k2<<<1, 32>>>(d);
  k3<<<1, 32>>>(d, 8);
  k4<<<1, 32>>>(d);
  k5<<<1, 32>>>(d);
  k6<<<1, 32>>>((double*)d);
}
