// `f(N)` as a template argument is written as the type of a function is: where the template takes a value, it is a
// call, and decides which specialisation is meant.
constexpr bool is_power(int v) { return v && !(v & (v - 1)); }
constexpr int twice(int v) { return 2 * v; }
template <int N, bool P>
struct Step {
  static __device__ void put(int *out) { out[threadIdx.x * N] = N; }
};
template <int N>
struct Step<N, true> {
  static __device__ void put(int *out) { out[threadIdx.x] = N; }
};
template <typename F>
struct Sized {
  static __device__ void put(int *out) { out[threadIdx.x * (int)sizeof(F *)] = 1; }
};
template <int N>
__global__ void k(int *out) {
  Step<N, is_power(N)>::put(out);
  Step<twice(N), is_power(twice(N))>::put(out + 1024);
  Sized<int(int)>::put(out + 2048);
}
int main() {
  int *out;
  cudaMalloc(&out, 65536);
  k<8><<<2, 64>>>(out);
  k<6><<<2, 64>>>(out);
}
