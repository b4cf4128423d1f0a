// A reference moves its pointer in a loop.
__global__ void r40_moved_by_a_reference_in_a_loop(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  for (int i = 0; i < argc; ++i) {
    float *&q = p;
    q += 3;
    r40_moved_by_a_reference_in_a_loop<<<2, 32>>>(p, 3, 0);
  }
  r40_moved_by_a_reference_in_a_loop<<<1, 64>>>(p, 3, 0);
}
