// A class with a conversion to a pointer to a kernel.
__global__ void k(float *p, int n) { p[threadIdx.x * n] = 1; }
typedef void (*K)(float *, int);
struct O { operator K() const { return k; } };
void go(K f, float *p) { f<<<1, 32>>>(p, 2); }
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  k<<<1, 32>>>(p, 1);
  K f = O{};
  f<<<1, 32>>>(p, 2);
  go(O{}, p);
}
