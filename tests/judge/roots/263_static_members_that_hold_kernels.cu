// Kernels in static data members and in variables that a namespace declares `extern`.
__global__ void k(float *p, int n) { p[threadIdx.x * n] = 1; }
__global__ void k2(float *p, int n) { p[threadIdx.x * n] = 1; }
__global__ void k3(float *p, int n) { p[threadIdx.x * n] = 1; }
typedef void (*K)(float *, int);
struct Tr {
  static K kernel;
  static inline K late = k2;
  static void run(float *p) { kernel<<<1, 32>>>(p, 2); }
};
K Tr::kernel = k;
namespace n { extern K kernel; }
K n::kernel = k3;
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  k<<<1, 32>>>(p, 1);
  k2<<<1, 32>>>(p, 1);
  k3<<<1, 32>>>(p, 1);
  Tr::run(p);
  Tr::late<<<1, 32>>>(p, 2);
  n::kernel<<<1, 32>>>(p, 2);
}
