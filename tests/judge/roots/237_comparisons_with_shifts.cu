// `t < int(n) >> 1` compares with a shift: a variable is no template, whatever stands behind it.
namespace n237 {
constexpr int z = 3;
struct K {
  static constexpr int k = 2;
};
} // namespace n237
typedef int J237;
__global__ void r237_halved(float *p, int n) {
  int t = threadIdx.x, l = t & 7;
  if (t < int(blockDim.x) >> 1)
    p[t * 8] = 1;
  for (int d = 0; d < int(blockDim.x) >> 1; d += 32)
    p[d + t * 2] = 2;
  int m = t < J237(n) >> 1 ? t : 3;
  p[m] = 3;
  if (n237::z < l >> 1)
    p[t * 4] = 4;
  else
    p[t * 16] = 5;
  if (n237::K::k < l >> 1)
    p[t * 2] = 6;
  if (t < static_cast<int>(n) >> 1)
    p[t] = 7;
}
