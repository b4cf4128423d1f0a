// A member alias with the name of the class template that it means.
//@ launch r30_alias_of_its_own_name grid=(2) block=(32) args(a=f32[65536], o=f32[65536])
template <typename T, int N> struct r30_Step { __device__ int at(int t) { return t * N; } };
template <typename T> struct r30_Stats {
  using r30_Step = r30_Step<T, 8>;
  r30_Step step;
  __device__ float get(const T *a, int t) { return a[step.at(t)]; }
};
__global__ void r30_alias_of_its_own_name(const float *a, float *o) {
  r30_Stats<float> stats;
  o[threadIdx.x] = stats.get(a, threadIdx.x);
}
