// Pointers in an object that the text moved.
struct S {
  float *x, *y;
  int n;
};
__global__ void r53_pointers_in_an_argument(S s) {
  s.x[threadIdx.x] = 1;
  s.y[threadIdx.x * s.n] = 2;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  S s{p, p, 2};
  r53_pointers_in_an_argument<<<1, 32>>>(s);
  s.y += 3;
  r53_pointers_in_an_argument<<<1, 32>>>(s);
  r53_pointers_in_an_argument<<<1, 64>>>(S{p + 1, p, 1});
}
