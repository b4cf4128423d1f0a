// An element is cut to its type, whatever was known of it.
__global__ void r40_narrow_element(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct S { unsigned char c; };
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  char w[2];
  w[0] = 200;
  n = w[0];
  S s;
  s.c = 300;
  m = s.c;
  r40_narrow_element<<<2, 32>>>(p, n, m);
}
