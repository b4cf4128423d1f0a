// A class that is specialised for an enumeration is not meant by the enumeration's numbers.
enum E { A = 2, B = 5 };
template <class T> struct Of {
  static constexpr int step = 1, block = 32;
};
template <> struct Of<E> {
  static constexpr int step = 8, block = 64;
};
__global__ void r53_specialised_for_an_enumeration(float *a, int n) { a[threadIdx.x * n] = 1; }
template <class T> static void go(float *p, T v) { r53_specialised_for_an_enumeration<<<1, Of<T>::block>>>(p, Of<T>::step + (int)v); }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  unsigned n = 1;
  go(p, n);
  go(p, A);
}
