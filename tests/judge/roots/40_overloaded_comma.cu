// A comma that is a function.
__global__ void r40_overloaded_comma(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct S { int v; };
static int operator,(S s, int x) { return s.v + x; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  S s{3};
  n = (s, 4);
  r40_overloaded_comma<<<2, 32>>>(p, n, m);
}
