// A function of the program that is called as one which ends it.
__global__ void r40_function_called_exit(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
namespace prof {
static int ends;
static void exit() { ++ends; }
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  prof::exit();
  r40_function_called_exit<<<1, 32>>>(p, 1, 0);
}
