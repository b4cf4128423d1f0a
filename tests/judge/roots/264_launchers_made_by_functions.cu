// An object of a class template that launches its member, made by a function, or passed on as an argument.
__global__ void k(float *p, int n) { p[threadIdx.x * n] = 1; }
__global__ void k2(float *p, int n) { p[threadIdx.x * n] = 1; }
typedef void (*K)(float *, int);
template <class F> struct Wr {
  F f;
  template <class... A> void operator()(A... a) const { f<<<1, 32>>>(a...); }
};
template <class F> Wr<F> wrap(F f) { return {f}; }
template <class G> void each(G g, float *p) { g(p, 2); }
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  k<<<1, 32>>>(p, 1);
  k2<<<1, 32>>>(p, 1);
  wrap(k)(p, 2);
  each(Wr<K>{k2}, p);
}
