// The body of an explicit specialisation, chosen by the arguments of the template.
//@ launch r30_specialised_template grid=(2) block=(32) args(a=f32[65536], o=f32[65536])
enum class r30_Op { Add, Max };
template <r30_Op op, typename T> __device__ int r30_step(const T value);
template <> __device__ int r30_step<r30_Op::Add>(const int value) { return value * 4; }
template <> __device__ int r30_step<r30_Op::Max>(const int value) { return value * 8; }
template <> __device__ int r30_step<r30_Op::Max>(const float value) { return int(value) * 2; }
using r30_Same = r30_Op;
__global__ void r30_specialised_template(const float *a, float *o) {
  int t = threadIdx.x;
  o[t] = a[r30_step<r30_Same::Max>(t)] + a[r30_step<r30_Op::Add>(t)];
}
