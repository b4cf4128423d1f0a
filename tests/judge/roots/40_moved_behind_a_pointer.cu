// A function moves the pointer that it is given the address of, on one way only.
__global__ void r40_moved_behind_a_pointer(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
static void advance(float **p) { *p += 3; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3;
  if (argc > 1) {
    advance(&p);
    r40_moved_behind_a_pointer<<<2, 32>>>(p, n, 0);
  } else {
    n = 5;
  }
  r40_moved_behind_a_pointer<<<2, 64>>>(p, n, 0);
}
