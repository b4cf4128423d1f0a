// A pointer is moved by a reference, by a function and by a method whose body is in sight.
struct S {
  float *q;
  float *data() { return q + 2; }
};
static void advance(float *&p) { p += 3; }
__global__ void r40_moved_by_reference(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p, *r, *s;
  cudaMalloc(&p, 1 << 20);
  cudaMalloc(&r, 1 << 20);
  cudaMalloc(&s, 1 << 20);
  float *&q = p;
  q += 3;
  r40_moved_by_reference<<<2, 32>>>(p, 1, 0);
  advance(r);
  r40_moved_by_reference<<<2, 32>>>(r, 1, 0);
  S object{s + 1};
  r40_moved_by_reference<<<2, 32>>>(object.data(), 1, 0);
}
