// Constant arrays of classes and functions, which lanes index: their numbers are known, each class has its own, and
// what a list leaves out is zero.
//@ launch tables grid=(2) block=(64) args(a=i32[65536], b=i32[65536], n=?7)
struct Steps { static constexpr int v[4] = {1, 2, 4, 8}; static const int w[3]; static constexpr short rows[2][2] = {{3, 4}, {5}}; };
const int Steps::w[3] = {7, 9};
template <int... S> struct Shape {
  static constexpr int rank = sizeof...(S);
  static constexpr int dims[rank] = {S...};
  template <class... I> __device__ static int off(I... i) { int r = 0, d = 0; ((r = r * dims[d++] + i), ...); return r; }
};
template <class T> struct Of { static constexpr int v[2] = {sizeof(T), 3}; __device__ int at(int i) const { return v[i & 1]; } };
__device__ int kept(int i) { static const unsigned char v[5] = {9, 3, 1, 5, 254}; return v[i % 5]; }
__device__ int other(int i) { static const unsigned char v[5] = {1, 2, 3}; return v[i % 5]; }
__global__ void tables(int *a, const int *b, int n) {
  int t = threadIdx.x;
  Steps o;
  a[t] = b[Steps::v[t & 3] * t];
  a[t] = b[Steps::w[t % 3] * 2];
  a[t] = b[o.v[t & 3] * 8];
  a[t] = b[Steps::rows[t & 1][t >> 1 & 1] * 4];
  a[t] = b[Shape<4, 8, 5>::off(t & 3, t >> 3, 2)];
  a[t] = b[Shape<3, 6>::dims[t & 1] * t];
  a[t] = b[Shape<6, 3>::dims[t & 1] * t];
  a[t] = b[Of<char>::v[t & 1] * t];
  a[t] = b[Of<double>{}.at(t) * t];
  a[t] = b[kept(t)];
  a[t] = b[other(t) * 8];
  for (int i = 0; i < 5; i++) a[t] = b[kept(i) * t];
}
