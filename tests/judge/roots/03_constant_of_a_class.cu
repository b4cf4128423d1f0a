// A constant of a class template in brackets, times the lane.
//@ launch r03_constant_of_a_class grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
template <int N>
struct C03 {
  static constexpr int v = N;
};
__global__ void r03_constant_of_a_class(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[(C03<8>::v) * t] = 1;
}
