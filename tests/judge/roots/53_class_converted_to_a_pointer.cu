// An object is converted to the pointer that the kernel takes.
__global__ void r53_class_converted_to_a_pointer(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct C {
  float *q;
  operator float *() { return q + 1; }
};
static C make(float *p) { return {p}; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  C c{p};
  r53_class_converted_to_a_pointer<<<2, 32>>>(c, 1, 0);
  r53_class_converted_to_a_pointer<<<2, 64>>>(make(p), 1, 0);
}
