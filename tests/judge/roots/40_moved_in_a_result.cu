// A call moves the pointer that it gives, over and over.
__global__ void r40_moved_in_a_result(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
static float *take(float *&p) { return p++; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  for (int i = 0; i < argc; ++i)
    r40_moved_in_a_result<<<2, 32>>>(take(p), 1, 0);
}
