// A launch in a host template that is used as a value.
template <class T>
__global__ void r40_template_as_a_value(T *a, int n) {
  a[threadIdx.x * n] = 1;
}
template <int N, class T>
void run40(T *p) {
  r40_template_as_a_value<T><<<2, 32>>>(p, N);
}
template <class F>
void test40(F f, float *p) {
  f(p);
}
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  test40(run40<4, float>, p);
}
