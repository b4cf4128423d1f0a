// A default of a type parameter that is a pointer or a function, and the result of a lambda that is an instance of a
// template: the whole function could not be read.
template <class T, class P = T *> __device__ void stored(T *out, P from) { out[threadIdx.x * 2] = *from; }
template <class T, class P = const T *, int N = 3> __device__ int width() { return sizeof(P) == 8 ? N : 1; }
template <class T, class F = int (*)(int)>
__device__ void moved(T *out, F &&by = [](int x) { return x; }) {
  out[threadIdx.x * by(3)] = 1;
}
template <class T, class R = T &, class A = T[4]> __device__ int size() { return sizeof(A) / sizeof(T); }
template <class T, unsigned N> struct Row { T at[N]; };
template <unsigned N> struct In { float x[N]; };
//@ launch types grid=(1) block=(64) args(out=f32[4096], n=3)
__global__ void types(float *out, int n) {
  constexpr unsigned M = 2;
  int t = threadIdx.x;
  stored(out, &out[n]);
  out[t * width<float>()] = 1;
  moved(out);
  moved(out, [](int x) { return x + 2; });
  out[t * size<float>()] = 2;
  auto made = [&](int i) -> Row<In<M>, 3> {
    Row<In<M>, 3> row;
    row.at[1].x[1] = i;
    return row;
  };
  auto const row = [&]() -> Row<In<M>, 3> { return made(5); }();
  out[t * (int)row.at[1].x[1]] = 3;
  out[t * (int)sizeof(made(1))] = 4;
  const int *a[2] = {&n, &n};
  if (*a[0] < 4 && *a[1] > 2) out[t] = 5;
}
