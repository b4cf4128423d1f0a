// A block's `extern` declaration of a variable is left out; the parameter, local or capture of that name is taken.
__device__ float big[8192];
__global__ void k1(float* o) { double* big = (double*)o; { extern __device__ float big[8192]; big[threadIdx.x * 3] = 1; } }
__global__ void k2(float* o) { double* big = (double*)o; for (int i = 0; i < 2; ++i) { extern __device__ float big[8192]; big[threadIdx.x * 3] = 1; } }
__global__ void k3(float* o) { auto f = [&](double* big) { { extern __device__ float big[8192]; big[threadIdx.x * 3] = 1; } }; f((double*)o); }
int main() { float* d; cudaMalloc(&d, 1 << 20); k1<<<1, 32>>>(d); k2<<<1, 32>>>(d); k3<<<1, 32>>>(d); }
