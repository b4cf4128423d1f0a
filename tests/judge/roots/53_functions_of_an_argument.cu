// Functions of an argument's namespace take part in a call, friends that a class defines too.
__global__ void r53_functions_of_an_argument(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
namespace x {
struct T {};
static int size(T) { return 9; }
static void put(T, int &n) { n = 8; }
} // namespace x
static int size(int) { return 5; }
static int level = 3;
struct F {
  friend void set(F, int v) { level = v; }
};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 3;
  put(x::T(), n);
  set(F(), 7);
  r53_functions_of_an_argument<<<1, 32>>>(p, size(x::T()), n);
  r53_functions_of_an_argument<<<1, 32>>>(p, level, size(1));
}
