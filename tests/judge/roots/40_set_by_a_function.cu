// A function keeps a moved pointer in a variable of the file.
__global__ void r40_set_by_a_function(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
static float *kept;
static void keep(float *p) { kept = p + 7; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  keep(p);
  r40_set_by_a_function<<<2, 32>>>(kept, 1, 0);
}
