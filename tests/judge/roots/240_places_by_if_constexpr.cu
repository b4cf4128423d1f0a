// `decltype(auto)` gives a place where the branch that is meant does; the other one does not count.
template <bool B> struct View240 {
  float *d;
  __device__ decltype(auto) operator()(int i) const {
    if constexpr (B)
      return d[i];
    else
      return 3;
  }
  __device__ decltype(auto) at(int i) const {
    if constexpr (!B) {
      return i;
    } else {
      return (d[i * 2]);
    }
  }
};
__global__ void r240_places(float *p) {
  View240<true> v{p};
  View240<false> w{p};
  v(threadIdx.x * 4) = 1;
  v.at(threadIdx.x) = 2;
  p[threadIdx.x * w(0)] = 3;
  p[w.at(threadIdx.x) * 8] = 4;
}
