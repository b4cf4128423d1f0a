// A struct with a reference as a member.
__global__ void r40_reference_in_a_struct(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct Ref40 {
  int &x;
};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 0;
  Ref40 r{n};
  r.x = 8;
  r40_reference_in_a_struct<<<2, 32>>>(p, n, m);
}
