// A class that nests more deeply than is read leaves its arguments open, not empty.
template <int... I> struct Sequence {};
template <int N, int... I> struct Counting : Counting<N - 1, N - 1, I...> {};
template <int... I> struct Counting<0, I...> { using type = Sequence<I...>; };
template <int... I> __device__ void each(float *a, int t, Sequence<I...>) {
  ((a[t * (I + 1)] = 1), ...);
}
template <int... I> __device__ int count(Sequence<I...>) { return sizeof...(I) + 1; }
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  each(a, t, typename Counting<3>::type{});
  a[t * count(typename Counting<60>::type{})] = 1;
}
