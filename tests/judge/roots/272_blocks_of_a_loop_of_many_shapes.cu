// Blocks of 1..31 threads, all in sight: 13 shapes and more become one that is assumed to be a multiple of 32, of which no launch is.
__global__ void shp(float *a) { a[threadIdx.x * 2] = threadIdx.y; }
__global__ void tune(float *a, const float *b, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) a[y * w + x] = b[y * w + x];
}
int main() {
  float *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  for (int i = 1; i <= 31; i++) shp<<<1, i>>>(a);
  for (int bx = 4; bx < 32; bx += 2) tune<<<dim3(128 / bx, 4), dim3(bx, 4)>>>(a, b, 128, 16);
}
