// What a default argument writes, each call may write that leaves the argument out.
__global__ void k(float *a, int n) { a[threadIdx.x * n] = 1; }
static int g = 1, h = 2;
static int f(int x = ++g) { return x; }
static void launch(float *p, int x = ++h) { k<<<1, 32>>>(p, x); }
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  f();
  launch(p);
  k<<<1, 32>>>(p, g);
  k<<<1, 32>>>(p, h);
}
