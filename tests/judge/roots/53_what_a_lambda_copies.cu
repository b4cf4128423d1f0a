// A lambda copies as the class does; what a callee of the library gives may be what a lambda gives.
__global__ void r53_what_a_lambda_copies(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
#include <functional>
struct P {
  int a = 3;
  P() {}
  P(const P &o) : a(o.a * 2) {}
};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  P q;
  auto f = [q] { return q.a; };
  r53_what_a_lambda_copies<<<1, 32>>>(p, f(), 0);
  auto g = std::bind([=] { return p + 3; });
  r53_what_a_lambda_copies<<<1, 32>>>(g(), 1, 0);
}
