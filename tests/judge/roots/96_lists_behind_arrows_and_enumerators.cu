// A template behind a lambda's arrow is no member that is compared, and one named as an enumerator of an `enum class` no value.
//@ launch r96_lists_behind_arrows_and_enumerators grid=(2) block=(32) args(a=f32[65536], n=?13)
enum class R96Kind : int { R96Int, R96Half };
namespace r96l {
template <int N>
struct R96Int {
  static constexpr int v = N;
  __device__ int at(int i) const { return i * N; }
};
template <bool A, bool B>
struct In {
  int x;
};
template <class T, int R, int C>
struct Array {
  T v[R][C];
};
}  // namespace r96l
using namespace r96l;
__device__ int r96_both(int a, R96Kind b) { return b == R96Kind::R96Half ? a : 2 * a; }
template <int N>
__device__ int r96_of(R96Int<N> x, int i) {
  return x.at(i);
}
__global__ void r96_lists_behind_arrows_and_enumerators(float *a, int n) {
  int t = threadIdx.x;
  constexpr int R = 1, C = 2;
  auto f = [&]() -> Array<In<true, false>, R, C> {
    Array<In<true, false>, R, C> made;
    made.v[0][0].x = 2;
    made.v[0][1].x = n & 3;
    return made;
  }();
  auto g = [=](int i) mutable -> In<true, false> { return In<true, false>{i}; };
  a[t * f.v[0][0].x] = 1;
  a[t * f.v[0][1].x] = 1;
  a[t * g(3).x] = 1;
  a[r96_of(R96Int<3>{}, t)] = 1;
  a[t * r96_both(R96Int<5>{}.v, R96Kind::R96Half)] = 1;
}
