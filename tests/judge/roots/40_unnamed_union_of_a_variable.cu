// A union without a name: what is written to one member moves the pointer in another.
__global__ void r40_unnamed_union_of_a_variable(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  union {
    float *f;
    size_t x;
  } u, v[2];
  u.f = p;
  u.x += 8;
  r40_unnamed_union_of_a_variable<<<2, 32>>>(u.f, 1, 0);
  v[1].f = p;
  v[1].x += 8;
  r40_unnamed_union_of_a_variable<<<2, 64>>>(v[1].f, 1, 0);
  union {
    float *g;
    size_t y;
  };
  g = p;
  y += 8;
  r40_unnamed_union_of_a_variable<<<2, 96>>>(g, 1, 0);
}
