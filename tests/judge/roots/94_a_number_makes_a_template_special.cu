// Of two templates the one for the number that is written is the more special: operators, functions, a number in the middle.
//@ launch r94_a_number_makes_a_template_special grid=(2) block=(32) args(a=f32[65536], n=?13)
template <class T, int D>
struct R94Row {
  T d[D];
};
template <class T, int D>
__device__ int operator+(const R94Row<T, D> &a, const R94Row<T, D> &b) { return a.d[0] + b.d[0]; }
template <class T>
__device__ int operator+(const R94Row<T, 3> &a, const R94Row<T, 3> &b) { return 3 * (a.d[0] + b.d[0]); }
template <class T, int D, int E>
struct R94Tile {
  T d[D * E];
};
template <int D, class T, int E>
__device__ int r94(const R94Tile<T, D, E> &a) { return a.d[0]; }
template <class T, int N>
__device__ int r94(const R94Tile<T, 2, N> &a) { return 5 * a.d[0]; }
template <class T>
__device__ int r94(const R94Tile<T, 2, 4> &a) { return 7 * a.d[0]; }
__global__ void r94_a_number_makes_a_template_special(float *a, int n) {
  int t = threadIdx.x;
  R94Row<int, 2> two = {{1, 2}};
  R94Row<int, 3> three = {{1, 2, 3}};
  a[t * (two + two)] = 1;
  a[t * (three + three)] = 1;
  a[t * r94(R94Tile<int, 3, 1>{{1}})] = 1;
  a[t * r94(R94Tile<int, 2, 1>{{1}})] = 1;
  a[t * r94(R94Tile<int, 2, 4>{{1}})] = 1;
}
