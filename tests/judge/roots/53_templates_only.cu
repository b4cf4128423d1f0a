// Empty angle brackets ask for a template; an array parameter is a pointer.
__global__ void r53_templates_only(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
static int of(int) { return 3; }
template <class T> static int of(T) { return 7; }
static int size(int w[10]) { return sizeof(w); }
static int whole(int (&w)[10]) { return sizeof(w); }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int w[10] = {};
  r53_templates_only<<<1, 32>>>(p, of(1), of<>(1));
  r53_templates_only<<<1, 64>>>(p, size(w), whole(w));
}
