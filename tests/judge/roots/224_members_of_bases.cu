// A conversion of a base sees the base; a using-declaration takes the member of the class that it names.
struct Far224 {
  int x = 1;
  static constexpr int K = 3;
  __device__ operator int() const { return x; }
};
struct Near224 : Far224 {
  int x = 12;
  static constexpr int K = 5;
};
struct Used224 : Near224 {
  using Far224::x;
  using Far224::K;
};
struct Other224 {
  int v = 9;
};
struct Both224 : Other224, Far224 {};
//@ launch r224_members_of_bases grid=(2) block=(48) args(a=f32[65536])
__global__ void r224_members_of_bases(float *a) {
  int t = threadIdx.x;
  Near224 n;
  Used224 u;
  Both224 b;
  int i = n;
  a[t * i] = 1;
  a[t * (n + 1) + 1] = 1;
  a[t * (int)b + 2] = 1;
  a[t * u.x + 3] = 1;
  a[t * Used224::K + 4] = 1;
}
