// A static table of a base is one of the class, too, unless the class has something of the name.
//@ launch r96_tables_of_bases grid=(2) block=(32) args(a=f32[65536], n=?13)
struct R96Base {
  static constexpr unsigned char own[4] = {8, 31, 1, 4};
  static constexpr short one = 3;
  static constexpr int hidden[2] = {5, 6};
};
struct R96Middle : R96Base {
  __device__ static int by(int i) { return own[i & 3]; }
};
template <int N>
struct R96Table : R96Middle {
  static constexpr unsigned list[] = {N, 2};
  __device__ static int at(int i) { return list[i & 1] + own[i & 3] + one; }
  __device__ static int hidden(int i) { return i * N; }
};
template <class T>
struct R96Of : T {
  __device__ static int at(int i) { return T::own[i & 3] * (int)sizeof(T::own); }
};
__global__ void r96_tables_of_bases(float *a, int n) {
  int t = threadIdx.x;
  a[t * R96Table<2>::at(n)] = 1;
  a[t * R96Table<2>::by(n)] = 1;
  a[t * R96Table<7>::own[n & 3]] = 1;
  a[t * R96Table<7>::hidden(3)] = 1;
  a[t * sizeof(R96Middle::one)] = 1;
  a[t * R96Of<R96Middle>::at(1)] = 1;
  a[R96Table<5>::at(t)] = 1;
}
