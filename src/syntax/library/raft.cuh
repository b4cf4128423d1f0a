// What device code takes from RAFT: its words for functions, numbers of lanes and bytes, reductions.
#ifndef DI
#define DI inline __device__
#endif
#ifndef HD
#define HD __host__ __device__
#endif
#ifndef HDI
#define HDI inline __host__ __device__
#endif
namespace raft {

static const int WarpSize = 32;

template <typename T>
constexpr HDI T ceildiv(T a, T b) {
  return (a + b - 1) / b;
}
template <typename T>
constexpr HDI T alignTo(T a, T b) {
  return ceildiv(a, b) * b;
}
template <typename T>
constexpr HDI T alignDown(T a, T b) {
  return (a / b) * b;
}
template <typename T>
constexpr HDI bool isPo2(T n) {
  return n && !(n & (n - 1));
}

DI int laneId() {
  int lane;
  asm("mov.s32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
DI void warpFence() { __syncwarp(); }
template <typename T>
DI T shfl(T value, int lane, int width = WarpSize, uint32_t mask = 0xffffffffu) {
  return __shfl_sync(mask, value, lane, width);
}
template <typename T>
DI T shfl_up(T value, int by, int width = WarpSize, uint32_t mask = 0xffffffffu) {
  return __shfl_up_sync(mask, value, by, width);
}
template <typename T>
DI T shfl_down(T value, int by, int width = WarpSize, uint32_t mask = 0xffffffffu) {
  return __shfl_down_sync(mask, value, by, width);
}
template <typename T>
DI T shfl_xor(T value, int lanes, int width = WarpSize, uint32_t mask = 0xffffffffu) {
  return __shfl_xor_sync(mask, value, lanes, width);
}

template <typename T>
DI T warpReduce(T value) {
#pragma unroll
  for (int i = WarpSize / 2; i > 0; i >>= 1) {
    T other = shfl_xor(value, i);
    value += other;
  }
  return value;
}
// One value of each warp goes through shared memory.
template <typename T>
DI T blockReduce(T value, char *smem) {
  T *of_warps = reinterpret_cast<T *>(smem);
  int warps = (blockDim.x + WarpSize - 1) / WarpSize;
  int lane = laneId();
  int warp = threadIdx.x / WarpSize;
  value = warpReduce(value);
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  value = lane < warps ? of_warps[lane] : T(0);
  return warpReduce(value);
}

template <typename T>
DI T myAtomicAdd(T *address, T value) {
  return atomicAdd(address, value);
}

}  // namespace raft
