// `>=` in a list of template parameters or arguments compares: its first half ends no list.
//@ launch r95_at_least_in_a_template_list grid=(2) block=(32) args(a=f32[65536], n=?13)
template <class T>
struct R95Bits {
  static constexpr int value = int(sizeof(T) * 8);
};
template <class T, int N, bool WIDE = R95Bits<T>::value >= 32, int MORE = 2>
struct R95Row;
template <class T, int N, int MORE>
struct R95Row<T, N, true, MORE> {
  static constexpr int step = 3;
};
template <class T, int N, int MORE>
struct R95Row<T, N, false, MORE> {
  static constexpr int step = MORE;
};
template <int N, bool IS = N >= 7>
struct R95Least {
  static constexpr int step = IS ? 5 : 4;
};
template <class T, bool IS>
__device__ int r95(T x) {
  return IS ? x : 2 * x;
}
__global__ void r95_at_least_in_a_template_list(float *a, int n) {
  int t = threadIdx.x;
  a[t * R95Row<short, 8>::step] = 1;
  a[t * R95Row<int, 8>::step] = 1;
  a[t * R95Row<int, 8, R95Bits<int>::value >= 33, 7>::step] = 1;
  a[t * R95Least<7>::step] = 1;
  a[t * R95Least<6>::step] = 1;
  a[r95<int, R95Bits<char>::value >= 8>(t)] = 1;
  a[r95<int, R95Bits<char>::value >= 9>(t)] = 1;
  bool is = t >= 8;
  if (t >= 16 && n >= 3) a[t * (is ? 2 : 6)] = 1;
}
