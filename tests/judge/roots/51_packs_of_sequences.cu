// Packs that a sequence of integers tells; folds over commas read nothing back.
#include <utility>
template <size_t... I> __device__ void by_index(float *a, int t, std::index_sequence<I...>) {
  ((a[t * (I + 1)] = I), ...);
}
template <int... I> __device__ void by_number(float *a, int t, std::integer_sequence<int, I...>) {
  (void(a[t * (I + 2)] = I), ...);
}
template <class F, size_t... I> __device__ void for_each(F f, std::index_sequence<I...>) { (f(I), ...); }
//@ launch r51_packs_of_sequences grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_packs_of_sequences(float *a) {
  int t = threadIdx.x;
  by_index(a, t, std::make_index_sequence<3>{});
  by_number(a, t, std::make_integer_sequence<int, 2>());
  by_number(a, t, std::integer_sequence<int, 0, 5>{});
  for_each([&](int i) { a[t * (i + 4)] = 1; }, std::make_index_sequence<2>{});
}
