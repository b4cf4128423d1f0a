// With one of its arguments no thread of the kernel writes.
__global__ void r40_no_request_on_one_way(float *a, int n, int m) {
  if (threadIdx.x < n)
    a[threadIdx.x + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n;
  switch (argc) {
  case 1:
    n = 0;
    break;
  case 2:
    n = 3;
    break;
  default:
    n = 6;
  }
  r40_no_request_on_one_way<<<2, 32>>>(p, n, 0);
}
