// `template <> struct Tuple<>` is a specialisation, not the template; constructors may come from a base class.
template <class... T> struct Tuple50;
template <> struct Tuple50<> {};
template <class H, class... R> struct Tuple50<H, R...> : Tuple50<R...> {
  H h;
  __device__ Tuple50(H h, R... r) : Tuple50<R...>(r...), h(h) {}
};
struct Made50 {
  int v;
  __device__ Made50(int a, int b) : v(a * b) {}
};
struct Heir50 : Made50 {
  using Made50::Made50;
  int w = v + 1;
};
__global__ void r50_empty(float *a) {
  int t = threadIdx.x;
  a[t * (int)sizeof(Tuple50<int, short, int>)] = 1;
  Heir50 h(2, 3);
  a[t * h.v] = 2;
  a[t * h.w] = 3;
}
