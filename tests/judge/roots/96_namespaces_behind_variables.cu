// In front of `::` a variable hides no namespace and no enumeration.
//@ launch r96_namespaces_behind_variables grid=(2) block=(32) args(a=f32[65536], r96n=?13)
namespace r96n {
struct In {
  __device__ int at(int i) const;
};
__device__ int In::at(int i) const { return i * 3; }
__device__ int twice(int i) { return 2 * i; }
constexpr int five = 5;
}  // namespace r96n
enum class R96E { one = 1, seven = 7 };
__global__ void r96_namespaces_behind_variables(float *a, int r96n) {
  int t = threadIdx.x;
  int R96E = 2;
  a[r96n::In().at(t)] = 1;
  a[r96n::twice(t) + r96n] = 1;
  a[t * r96n::five] = 1;
  a[t * (int)R96E::seven] = 1;
  a[t * R96E] = 1;
}
