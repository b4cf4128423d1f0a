// A class that says of how many parts it consists is taken apart by `get`; a cast to a reference of another type makes
// a value of that type; `decltype` of casts and of choices of places is a reference.
struct Pair229 {
  int x, y;
};
namespace std {
using size_t = decltype(sizeof(0));
template <class T> struct tuple_size;
template <size_t I, class T> struct tuple_element;
template <> struct tuple_size<Pair229> {
  static constexpr size_t value = 2;
};
template <size_t I> struct tuple_element<I, Pair229> {
  using type = int;
};
} // namespace std
template <std::size_t I> __device__ int get(const Pair229 &p) { return I == 0 ? p.y : p.x + 10; }
template <class T> struct Kind229 {
  static constexpr int v = 1;
};
template <class T> struct Kind229<T &> {
  static constexpr int v = 4;
};
//@ launch r229_parts_like_tuples grid=(2) block=(48) args(a=f32[65536])
__global__ void r229_parts_like_tuples(float *a) {
  int t = threadIdx.x, i = 1, j = 2;
  Pair229 pair{1, 2};
  auto [p, q] = pair;
  a[t * p + q] = 1;
  a[t * (int)((const unsigned &)(-1) >> 29) + 1] = 1;
  a[t * Kind229<decltype((int &)i)>::v + 2] = 1;
  a[t * Kind229<decltype(t > 3 ? i : j)>::v + 3] = 1;
}
