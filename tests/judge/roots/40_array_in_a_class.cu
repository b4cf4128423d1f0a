// A class of the function keeps two pointers.
__global__ void r40_array_in_a_class(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  struct Two {
    float *x[2];
  };
  Two v{{p, p + 5}};
  if (argc > 0)
    r40_array_in_a_class<<<2, 32>>>(v.x[1], 2, 0);
}
