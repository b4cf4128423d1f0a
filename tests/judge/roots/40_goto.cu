// A jump over an assignment.
__global__ void r40_goto(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 0;
  if (argc > 1)
    goto done;
  n = 8;
done:
  r40_goto<<<2, 32>>>(p, n, m);
}
