// Lambdas that call lambdas are not followed for each way that leads to them.
__global__ void r53_lambdas_that_call_lambdas(float *a, int n, int m) { a[threadIdx.x * n + m] = 1; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 2;
  auto f0 = [&] { r53_lambdas_that_call_lambdas<<<1, 32>>>(p, n, 1); };
  auto f1 = [&] { f0(); f0(); f0(); f0(); };
  auto f2 = [&] { f1(); f1(); f1(); f1(); };
  auto f3 = [&] { f2(); f2(); f2(); f2(); };
  auto f4 = [&] { f3(); f3(); n = 3; f3(); };
  f4();
}
