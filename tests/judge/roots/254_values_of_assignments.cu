// An assignment gives what its place then holds.
constexpr int f() { unsigned char c = 0; int x = (c = 257) + 0; return x; }
constexpr int f2() { bool b = false; int x = 0; x = b = 5; return x; }
constexpr int f3() { int y = 0; double d = (y = 2.7); return (int)(d * 10); }
__global__ void k1(float *a) { a[threadIdx.x * f()] = 1; }
__global__ void k2(float *a) { constexpr int s = f2(); a[threadIdx.x * s] = 1; }
__global__ void k3(float *a) { a[threadIdx.x * (f3() - 19)] = 1; }
__global__ void k4(float *a) { unsigned char c = 0; int x = (c = 257) + 0; a[threadIdx.x * x] = 1; }
