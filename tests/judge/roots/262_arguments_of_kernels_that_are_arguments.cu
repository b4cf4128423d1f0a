// A kernel instance as a template argument keeps its own template arguments: `F<<<>>>` launches ki<4>, not ki<1>.
template <int N = 1> __global__ void ki(float *p) { p[threadIdx.x * N] = N; }
template <class T, class A = float> __global__ void kt(T *p) { p[threadIdx.x * sizeof(A)] = 1; }
template <class T> __global__ void kv(void *p, T n) { ((T *)p)[threadIdx.x * 2] = n; }
template <void (*F)(float *)> void go(float *p) { F<<<1, 32>>>(p); }
template <auto F> struct L { static void run(float *p) { F<<<1, 32>>>(p); } };
template <auto F, class... A> void run(A... a) { F<<<1, 32>>>(a...); }
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  go<ki<4>>(p);
  L<&ki<8>>::run(p);
  go<kt<float, double>>(p);
  run<kv<double>>(p, 1);
}
