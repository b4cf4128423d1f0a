// A pointer argument out of an array.
__global__ void r40_array_of_pointers(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 0;
  float *ps[2] = {p, p + 1};
  r40_array_of_pointers<<<2, 32>>>(ps[argc & 1], 1, 0);
}
