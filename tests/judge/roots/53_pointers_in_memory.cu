// Pointers that the kernel loads, and that the text moved.
struct S {
  float *a;
  int n;
};
__global__ void r53_pointers_in_memory(float **q, S *s) {
  q[1][threadIdx.x] = 1;
  s->a[threadIdx.x] = 2;
}
int main(int argc, char **argv) {
  float *p, *h[2], **d;
  S *s;
  cudaMalloc(&p, 1 << 20);
  h[0] = p;
  h[1] = p + 1;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMallocManaged(&s, sizeof(S));
  s->a = p + 3;
  r53_pointers_in_memory<<<1, 32>>>(d, s);
}
