// Packs in braced lists, several packs in one pattern, and a pack that stands for types.
struct Triple {
  int x, y, z;
};
template <class... I> __device__ int last_of(I... i) {
  int idx[] = {i...};
  return idx[sizeof...(I) - 1];
}
template <class... I> __device__ int in_two(I... i) {
  int idx[2] = {int(i)...};
  return idx[0] + idx[1] * 4;
}
template <class... A> __device__ int of_class(A... a) {
  Triple p{a...};
  Triple q = {int(a)...};
  q = {a...};
  return p.x + p.y * 2 + q.z * 4;
}
template <class... A> __device__ int between(A... a) {
  const int v[] = {0, a..., 5};
  return v[1] + v[sizeof...(A) + 1];
}
template <class... A> __device__ int twice(A... a) {
  int v[] = {a..., a * 2 ...};
  return v[4];
}
template <class... A> __device__ int zipped(A... a) {
  auto inner = [=](auto... b) { return ((a * b) + ...); };
  return inner(1, 2, 3);
}
template <class... A> __device__ int addresses(A &&...a) {
  int *v[] = {&a...};
  return *v[2];
}
template <class... A> __device__ int of_types(A... a) {
  int v[] = {int(sizeof(A) * a)...};
  return v[1];
}
template <int... N> struct Table {
  static constexpr int v[] = {N...};
  __device__ static int at(int i) {
    constexpr int w[] = {N * 2 ...};
    return w[i] + int(sizeof(v) / sizeof(v[0]));
  }
};
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  a[last_of(2, t)] = 1;
  a[in_two(2, t)] = 1;
  a[of_class(1, 2, t)] = 1;
  a[between(t, 2, 3)] = 1;
  a[twice(1, t, 3)] = 1;
  a[zipped(1, 2, t)] = 1;
  int x = 1, y = 2, z = t;
  a[addresses(x, y, z)] = 1;
  a[of_types(1, short(t), 3)] = 1;
  a[t * Table<4, 5, 6>::at(1)] = 1;
}
