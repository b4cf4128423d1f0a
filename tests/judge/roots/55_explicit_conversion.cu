// An object is converted to the pointer that the kernel takes, by a function that has to be asked for.
__global__ void r55_explicit_conversion(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct C {
  float *q;
  explicit operator float *() const { return q + 1; }
};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  C c{p};
  r55_explicit_conversion<<<2, 32>>>((float *)c, 1, 0);
  r55_explicit_conversion<<<2, 64>>>(static_cast<float *>(c), 1, 0);
}
