// `begin` and `end` of a range may be functions of its namespace.
//@ launch r96_ranges_by_functions grid=(2) block=(32) args(a=f32[65536], n=?13)
namespace r96r {
struct It {
  int at, by;
  __device__ int operator*() const { return at; }
  __device__ It &operator++() {
    at += by;
    return *this;
  }
  __device__ bool operator!=(const It &o) const { return at < o.at; }
};
struct Range {
  int from, to;
};
__device__ It begin(const Range &r) { return {r.from, 2}; }
__device__ It end(const Range &r) { return {r.to, 0}; }
}  // namespace r96r
struct R96Other {
  int x;
  __device__ int begin() const { return 3; }
  __device__ int sum() const {
    int s = x;
    for (int i : r96r::Range{1, 4}) s += i;
    return s;
  }
};
__global__ void r96_ranges_by_functions(float *a, int n) {
  int t = threadIdx.x, x = 0;
  for (auto &&each : r96r::Range{1, 8}) x += each;
  a[t * x] = 1;
  r96r::Range own{2, n & 7};
  for (int i : own) a[t + i * 40] = 1;
  a[t * R96Other{1}.sum()] = 1;
}
