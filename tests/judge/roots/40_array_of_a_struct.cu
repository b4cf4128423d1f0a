// An array in a struct is handed over as a pointer.
__global__ void r40_array_of_a_struct(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct S { int x[2]; };
static void set(int *x) { x[0] = 9; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  S s{{1, 2}};
  set(s.x);
  n = s.x[0];
  r40_array_of_a_struct<<<2, 32>>>(p, n, m);
}
