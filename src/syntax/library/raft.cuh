// What device code takes from RAFT: its words for functions, numbers of lanes and bytes, powers of two, pairs, views of
// vectors and matrices, reductions.
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

// Arithmetic with a power of two. `div` and `mod` round down, `quot` and `rem` towards zero.
template <auto VALUE>
struct Pow2 {
  typedef decltype(VALUE) Type;
  static constexpr Type Value = VALUE;
  static constexpr Type Mask = VALUE - 1;
  static constexpr Type Log2 = VALUE > 1 ? 1 + Pow2<(VALUE > 1 ? VALUE / 2 : VALUE)>::Log2 : 0;
  template <typename I>
  static constexpr HDI I quot(I x) { return x / I(Value); }
  template <typename I>
  static constexpr HDI I rem(I x) { return x % I(Value); }
  template <typename I>
  static constexpr HDI I div(I x) { return x >> I(Log2); }
  template <typename I>
  static constexpr HDI I mod(I x) { return x & I(Mask); }
  template <typename I>
  static constexpr HDI I roundDown(I x) { return x & I(~Mask); }
  template <typename I>
  static constexpr HDI I roundUp(I x) { return (x + I(Mask)) & I(~Mask); }
};
template <>
struct Pow2<1> {
  typedef int Type;
  static constexpr int Value = 1;
  static constexpr int Mask = 0;
  static constexpr int Log2 = 0;
};

template <typename K, typename V>
struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
  KeyValuePair() = default;
  HDI KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
};

// Views of vectors and matrices whose extents a launch tells.
struct layout_c_contiguous {};
struct layout_f_contiguous {};
using row_major = layout_c_contiguous;
using col_major = layout_f_contiguous;
template <typename I>
struct vector_extent { I of[1]; };
template <typename I>
struct matrix_extent { I of[2]; };
template <typename I>
struct extent_3d { I of[3]; };
template <typename T, typename EXTENTS, typename LAYOUT = layout_c_contiguous, typename ACCESSOR = void>
struct mdspan;
template <typename T, typename I, typename LAYOUT, typename ACCESSOR>
struct mdspan<T, vector_extent<I>, LAYOUT, ACCESSOR> {
  typedef T element_type;
  typedef I index_type;
  T *data_;
  I of_[1];
  HDI T *data_handle() const { return data_; }
  HDI I extent(size_t at) const { return of_[at]; }
  HDI I size() const { return of_[0]; }
  HDI T &operator()(I i) const { return data_[i]; }
};
template <typename T, typename I, typename LAYOUT, typename ACCESSOR>
struct mdspan<T, matrix_extent<I>, LAYOUT, ACCESSOR>;
template <typename T, typename I, typename ACCESSOR>
struct mdspan<T, matrix_extent<I>, layout_c_contiguous, ACCESSOR> {
  typedef T element_type;
  typedef I index_type;
  T *data_;
  I of_[2];
  HDI T *data_handle() const { return data_; }
  HDI I extent(size_t at) const { return of_[at]; }
  HDI I size() const { return of_[0] * of_[1]; }
  HDI T &operator()(I i, I j) const { return data_[I(i * of_[1] + j)]; }
};
template <typename T, typename I, typename ACCESSOR>
struct mdspan<T, matrix_extent<I>, layout_f_contiguous, ACCESSOR> {
  typedef T element_type;
  typedef I index_type;
  T *data_;
  I of_[2];
  HDI T *data_handle() const { return data_; }
  HDI I extent(size_t at) const { return of_[at]; }
  HDI I size() const { return of_[0] * of_[1]; }
  HDI T &operator()(I i, I j) const { return data_[I(i + j * of_[0])]; }
};
template <typename T, typename I, typename ACCESSOR>
struct mdspan<T, extent_3d<I>, layout_c_contiguous, ACCESSOR> {
  typedef T element_type;
  typedef I index_type;
  T *data_;
  I of_[3];
  HDI T *data_handle() const { return data_; }
  HDI I extent(size_t at) const { return of_[at]; }
  HDI I size() const { return of_[0] * of_[1] * of_[2]; }
  HDI T &operator()(I i, I j, I k) const { return data_[I((i * of_[1] + j) * of_[2] + k)]; }
};
template <typename T, typename EXTENTS, typename LAYOUT = layout_c_contiguous>
using device_mdspan = mdspan<T, EXTENTS, LAYOUT>;
template <typename T, typename I = uint32_t, typename LAYOUT = layout_c_contiguous>
using device_vector_view = mdspan<T, vector_extent<I>, LAYOUT>;
template <typename T, typename I = uint32_t, typename LAYOUT = layout_c_contiguous>
using device_matrix_view = mdspan<T, matrix_extent<I>, LAYOUT>;

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

DI uint32_t ballot(bool is_so, uint32_t mask = 0xffffffffu) { return __ballot_sync(mask, is_so); }

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
