__global__ void plain(float *a) {
  dim3 e = threadIdx;
  dim3 b = blockIdx;
  uint3 c = threadIdx;
  a[e.x] = 1;
  a[b.x * 32 + c.x] = 1;
}
int main() { float *a; cudaMalloc(&a, 4096); plain<<<1, dim3(8, 4)>>>(a); }
