// Writes and calls through a pointer to a member.
__global__ void r40_pointer_to_member(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct S {
  int v, w;
  void set(int x) { v = x; }
};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3, m = 2;
  S s{3, 4};
  int S::*q = argc > 1 ? &S::v : &S::w;
  s.*q = 9;
  void (S::*f)(int) = &S::set;
  n = s.v;
  (s.*f)(7);
  m = s.v;
  r40_pointer_to_member<<<2, 32>>>(p, n, m);
}
