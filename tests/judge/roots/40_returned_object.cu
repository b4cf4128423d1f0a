// A function gives back an object with a reference.
__global__ void r40_returned_object(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct H {
  int &q;
  void later() { q = 9; }
};
static H make(int &x) { return {x}; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  auto h = make(n);
  h.later();
  r40_returned_object<<<2, 32>>>(p, n, m);
}
