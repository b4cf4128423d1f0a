// What CUB's collectives ask memory for, access for access: the algorithms of CUB 2 and CCCL for compute
// capability 5.0 and newer, where warps exchange by shuffles.
#ifndef CUB_WARP_THREADS
#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_PTX_WARP_THREADS 32
#define CUB_LOG_WARP_THREADS(unused) 5
#define CUB_WARP_THREADS(unused) 32
#endif
namespace cub {

template <bool CHOICE, typename A, typename B>
struct If {
  typedef A Type;
};
template <typename A, typename B>
struct If<false, A, B> {
  typedef B Type;
};

struct NullType {};

namespace detail {
template <int BYTES>
struct BitsOf;
template <> struct BitsOf<1> { typedef unsigned char Type; };
template <> struct BitsOf<2> { typedef unsigned short Type; };
template <> struct BitsOf<4> { typedef unsigned int Type; };
template <> struct BitsOf<8> { typedef unsigned long long Type; };
// What a key that is no integer is: its sign turns the order of the rest around.
template <typename T>
struct IsWhole { enum { UNSIGNED = 0, SIGNED = 0 }; };
template <> struct IsWhole<bool> { enum { UNSIGNED = 1, SIGNED = 0 }; };
template <> struct IsWhole<unsigned char> { enum { UNSIGNED = 1, SIGNED = 0 }; };
template <> struct IsWhole<unsigned short> { enum { UNSIGNED = 1, SIGNED = 0 }; };
template <> struct IsWhole<unsigned int> { enum { UNSIGNED = 1, SIGNED = 0 }; };
template <> struct IsWhole<unsigned long> { enum { UNSIGNED = 1, SIGNED = 0 }; };
template <> struct IsWhole<unsigned long long> { enum { UNSIGNED = 1, SIGNED = 0 }; };
template <> struct IsWhole<char> { enum { UNSIGNED = 0, SIGNED = 1 }; };
template <> struct IsWhole<signed char> { enum { UNSIGNED = 0, SIGNED = 1 }; };
template <> struct IsWhole<short> { enum { UNSIGNED = 0, SIGNED = 1 }; };
template <> struct IsWhole<int> { enum { UNSIGNED = 0, SIGNED = 1 }; };
template <> struct IsWhole<long> { enum { UNSIGNED = 0, SIGNED = 1 }; };
template <> struct IsWhole<long long> { enum { UNSIGNED = 0, SIGNED = 1 }; };
}  // namespace detail

// Keys as bits whose order is that of unsigned numbers.
template <typename T>
struct Traits {
  typedef typename detail::BitsOf<sizeof(T)>::Type UnsignedBits;
  static constexpr UnsignedBits HIGH_BIT = UnsignedBits(UnsignedBits(1) << (sizeof(UnsignedBits) * 8 - 1));
  __host__ __device__ static UnsignedBits TwiddleIn(UnsignedBits key) {
    if constexpr (detail::IsWhole<T>::UNSIGNED) return key;
    if constexpr (detail::IsWhole<T>::SIGNED) return key ^ HIGH_BIT;
    UnsignedBits mask = (key & HIGH_BIT) ? UnsignedBits(-1) : HIGH_BIT;
    return key ^ mask;
  }
  __host__ __device__ static UnsignedBits TwiddleOut(UnsignedBits key) {
    if constexpr (detail::IsWhole<T>::UNSIGNED) return key;
    if constexpr (detail::IsWhole<T>::SIGNED) return key ^ HIGH_BIT;
    UnsignedBits mask = (key & HIGH_BIT) ? HIGH_BIT : UnsignedBits(-1);
    return key ^ mask;
  }
};

namespace detail {
template <int X, int Y, int Z>
__device__ inline int row_major_tid() {
  return (Z == 1 ? 0 : (int)threadIdx.z * X * Y) + (Y == 1 ? 0 : (int)threadIdx.y * X) + (int)threadIdx.x;
}
__device__ inline unsigned int lane_id() {
  unsigned int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
// The widest word that a value is made of.
template <int SIZE, int ALIGN>
struct Word {
  typedef typename If<(SIZE % 4 == 0 && ALIGN % 4 == 0), unsigned int,
                      typename If<(SIZE % 2 == 0 && ALIGN % 2 == 0), unsigned short, unsigned char>::Type>::Type
      Shuffle;
  typedef typename If<(SIZE % 8 == 0 && ALIGN % 8 == 0), unsigned long long, Shuffle>::Type Volatile;
  typedef typename If<(SIZE % 16 == 0 && ALIGN % 16 == 0), ulonglong2, Volatile>::Type Device;
};
template <typename T, int N>
struct Vector {
  typedef T Type;
};
template <> struct Vector<char, 2> { typedef char2 Type; };
template <> struct Vector<char, 4> { typedef char4 Type; };
template <> struct Vector<signed char, 2> { typedef char2 Type; };
template <> struct Vector<signed char, 4> { typedef char4 Type; };
template <> struct Vector<unsigned char, 2> { typedef uchar2 Type; };
template <> struct Vector<unsigned char, 4> { typedef uchar4 Type; };
template <> struct Vector<short, 2> { typedef short2 Type; };
template <> struct Vector<short, 4> { typedef short4 Type; };
template <> struct Vector<unsigned short, 2> { typedef ushort2 Type; };
template <> struct Vector<unsigned short, 4> { typedef ushort4 Type; };
template <> struct Vector<int, 2> { typedef int2 Type; };
template <> struct Vector<int, 4> { typedef int4 Type; };
template <> struct Vector<unsigned int, 2> { typedef uint2 Type; };
template <> struct Vector<unsigned int, 4> { typedef uint4 Type; };
template <> struct Vector<float, 2> { typedef float2 Type; };
template <> struct Vector<float, 4> { typedef float4 Type; };
template <typename T, int SIZE>
struct HasVector {
  static constexpr int VALUE = 0;
};
template <> struct HasVector<char, 1> { enum { VALUE = 1 }; };
template <> struct HasVector<signed char, 1> { enum { VALUE = 1 }; };
template <> struct HasVector<unsigned char, 1> { enum { VALUE = 1 }; };
template <> struct HasVector<short, 2> { enum { VALUE = 1 }; };
template <> struct HasVector<unsigned short, 2> { enum { VALUE = 1 }; };
template <> struct HasVector<int, 4> { enum { VALUE = 1 }; };
template <> struct HasVector<unsigned int, 4> { enum { VALUE = 1 }; };
template <> struct HasVector<float, 4> { enum { VALUE = 1 }; };

template <int WIDTH, typename T>
__device__ inline T shuffle_down(T value, int by) {
  typedef typename Word<sizeof(T), alignof(T)>::Shuffle W;
  T moved = value;
  W *words = reinterpret_cast<W *>(&moved);
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) / sizeof(W)); ++i) {
    unsigned int one = words[i];
    words[i] = (W)__shfl_down_sync(0xffffffffu, one, by, WIDTH);
  }
  return moved;
}
template <int WIDTH, typename T>
__device__ inline T shuffle_up(T value, int by) {
  typedef typename Word<sizeof(T), alignof(T)>::Shuffle W;
  T moved = value;
  W *words = reinterpret_cast<W *>(&moved);
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) / sizeof(W)); ++i) {
    unsigned int one = words[i];
    words[i] = (W)__shfl_up_sync(0xffffffffu, one, by, WIDTH);
  }
  return moved;
}
template <int WIDTH, typename T>
__device__ inline T shuffle_index(T value, int lane) {
  typedef typename Word<sizeof(T), alignof(T)>::Shuffle W;
  T moved = value;
  W *words = reinterpret_cast<W *>(&moved);
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) / sizeof(W)); ++i) {
    unsigned int one = words[i];
    words[i] = (W)__shfl_sync(0xffffffffu, one, lane, WIDTH);
  }
  return moved;
}
// What is not written out here is said not to be followed.
template <typename Storage, typename T>
__device__ T other_algorithm(Storage &storage, T &value);
template <typename Storage, typename T>
__device__ T other_algorithm(Storage &storage, T *value);
template <typename Storage, typename T, typename P>
__device__ void other_algorithm(Storage &storage, T &items, P pointer);
}  // namespace detail

template <typename T>
struct Uninitialized {
  typedef typename detail::Word<sizeof(T), alignof(T)>::Device DeviceWord;
  DeviceWord storage[sizeof(T) / sizeof(DeviceWord)];
  __host__ __device__ T &Alias() { return reinterpret_cast<T &>(*this); }
};
template <int N>
struct Int2Type {
  enum { VALUE = N };
};
namespace detail {
constexpr int digits_below(int n) {
  int digits = 0;
  while (digits < 31 && (1 << digits) < n) ++digits;
  return digits;
}
template <typename T, typename U>
__device__ inline void uninitialized_copy(T *to, U &&value) { *to = value; }
template <typename T, typename U>
__device__ inline void uninitialized_copy_single(T *to, U &&value) { *to = value; }
}  // namespace detail
// The logarithm of the next power of two.
template <int N, int LEGACY = N, int LEGACY_COUNT = 0>
struct Log2 {
  static constexpr int VALUE = detail::digits_below(N);
};
template <int N>
struct PowerOfTwo {
  static constexpr int VALUE = (N & (N - 1)) == 0;
};
// The lanes of one logical warp.
template <int LOGICAL_WARP_THREADS, int LEGACY = 0>
__host__ __device__ inline unsigned int WarpMask(unsigned int warp_id) {
  unsigned int mask = 0xffffffffu >> (32 - LOGICAL_WARP_THREADS);
  if (PowerOfTwo<LOGICAL_WARP_THREADS>::VALUE && LOGICAL_WARP_THREADS != 32) mask <<= warp_id * LOGICAL_WARP_THREADS;
  return mask;
}
__device__ inline int RowMajorTid(int x, int y, int z) {
  return (z == 1 ? 0 : (int)threadIdx.z * x * y) + (y == 1 ? 0 : (int)threadIdx.y * x) + (int)threadIdx.x;
}
__device__ inline void CTA_SYNC() { __syncthreads(); }
__device__ inline unsigned int LaneId() { return detail::lane_id(); }
template <int LOGICAL_WARP_THREADS, typename T>
__device__ inline T ShuffleUp(T value, int by, int first, unsigned int mask) {
  return detail::shuffle_up<LOGICAL_WARP_THREADS>(value, by);
}
template <int LOGICAL_WARP_THREADS, typename T>
__device__ inline T ShuffleDown(T value, int by, int last, unsigned int mask) {
  return detail::shuffle_down<LOGICAL_WARP_THREADS>(value, by);
}
template <int LOGICAL_WARP_THREADS, typename T>
__device__ inline T ShuffleIndex(T value, int lane, unsigned int mask) {
  return detail::shuffle_index<LOGICAL_WARP_THREADS>(value, lane);
}

struct Sum {
  template <typename T, typename U>
  __host__ __device__ auto operator()(const T &a, const U &b) const -> decltype(a + b) { return a + b; }
};
struct Max {
  template <typename T>
  __host__ __device__ T operator()(const T &a, const T &b) const { return b > a ? b : a; }
};
struct Min {
  template <typename T>
  __host__ __device__ T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
struct Equality {
  template <typename T>
  __host__ __device__ bool operator()(const T &a, const T &b) const { return a == b; }
};
struct Inequality {
  template <typename T>
  __host__ __device__ bool operator()(const T &a, const T &b) const { return a != b; }
};

template <typename K, typename V>
struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
  __host__ __device__ KeyValuePair() {}
  __host__ __device__ KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
};
struct ArgMax {
  template <typename T, typename I>
  __host__ __device__ KeyValuePair<I, T> operator()(const KeyValuePair<I, T> &a, const KeyValuePair<I, T> &b) const {
    if ((b.value > a.value) || ((a.value == b.value) && (b.key < a.key))) return b;
    return a;
  }
};
struct ArgMin {
  template <typename T, typename I>
  __host__ __device__ KeyValuePair<I, T> operator()(const KeyValuePair<I, T> &a, const KeyValuePair<I, T> &b) const {
    if ((b.value < a.value) || ((a.value == b.value) && (b.key < a.key))) return b;
    return a;
  }
};

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <typename T, int LOGICAL_WARP_THREADS = 32, int LEGACY = 0>
class WarpReduce {
 public:
  struct TempStorage {};
  __device__ WarpReduce(TempStorage &storage) {}
  template <typename Op>
  __device__ T Reduce(T input, Op op, int valid) {
    const int lane = (int)(detail::lane_id() % LOGICAL_WARP_THREADS);
#pragma unroll
    for (int offset = 1; offset < LOGICAL_WARP_THREADS; offset *= 2) {
      T other = detail::shuffle_down<LOGICAL_WARP_THREADS>(input, offset);
      if (lane + offset < valid) input = op(input, other);
    }
    return input;
  }
  template <typename Op>
  __device__ T Reduce(T input, Op op) { return Reduce(input, op, LOGICAL_WARP_THREADS); }
  __device__ T Sum(T input) { return Reduce(input, cub::Sum(), LOGICAL_WARP_THREADS); }
  __device__ T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
};

template <typename T, int LOGICAL_WARP_THREADS = 32, int LEGACY = 0>
class WarpScan {
 public:
  struct TempStorage {};
  __device__ WarpScan(TempStorage &storage) {}
  template <typename Op>
  __device__ void InclusiveScan(T input, T &inclusive, Op op) {
    const int lane = (int)(detail::lane_id() % LOGICAL_WARP_THREADS);
    T sum = input;
#pragma unroll
    for (int offset = 1; offset < LOGICAL_WARP_THREADS; offset *= 2) {
      T other = detail::shuffle_up<LOGICAL_WARP_THREADS>(sum, offset);
      if (lane >= offset) sum = op(other, sum);
    }
    inclusive = sum;
  }
  template <typename Op>
  __device__ void InclusiveScan(T input, T &inclusive, Op op, T &aggregate) {
    InclusiveScan(input, inclusive, op);
    aggregate = detail::shuffle_index<LOGICAL_WARP_THREADS>(inclusive, LOGICAL_WARP_THREADS - 1);
  }
  template <typename Op>
  __device__ void Scan(T input, T &inclusive, T &exclusive, Op op) {
    InclusiveScan(input, inclusive, op);
    exclusive = detail::shuffle_up<LOGICAL_WARP_THREADS>(inclusive, 1);
  }
  template <typename Op>
  __device__ void ExclusiveScan(T input, T &exclusive, Op op) {
    T inclusive;
    Scan(input, inclusive, exclusive, op);
  }
  template <typename Op>
  __device__ void ExclusiveScan(T input, T &exclusive, T initial, Op op) {
    T inclusive;
    InclusiveScan(input, inclusive, op);
    inclusive = op(initial, inclusive);
    exclusive = detail::shuffle_up<LOGICAL_WARP_THREADS>(inclusive, 1);
    if (detail::lane_id() % LOGICAL_WARP_THREADS == 0) exclusive = initial;
  }
  template <typename Op>
  __device__ void ExclusiveScan(T input, T &exclusive, Op op, T &aggregate) {
    T inclusive;
    Scan(input, inclusive, exclusive, op);
    aggregate = detail::shuffle_index<LOGICAL_WARP_THREADS>(inclusive, LOGICAL_WARP_THREADS - 1);
  }
  // The aggregate leaves the initial value out.
  template <typename Op>
  __device__ void ExclusiveScan(T input, T &exclusive, T initial, Op op, T &aggregate) {
    T inclusive;
    InclusiveScan(input, inclusive, op);
    aggregate = detail::shuffle_index<LOGICAL_WARP_THREADS>(inclusive, LOGICAL_WARP_THREADS - 1);
    inclusive = op(initial, inclusive);
    exclusive = detail::shuffle_up<LOGICAL_WARP_THREADS>(inclusive, 1);
    if (detail::lane_id() % LOGICAL_WARP_THREADS == 0) exclusive = initial;
  }
  __device__ void InclusiveSum(T input, T &inclusive) { InclusiveScan(input, inclusive, cub::Sum()); }
  __device__ void InclusiveSum(T input, T &inclusive, T &aggregate) {
    InclusiveScan(input, inclusive, cub::Sum(), aggregate);
  }
  __device__ void ExclusiveSum(T input, T &exclusive) {
    T zero = T();
    ExclusiveScan(input, exclusive, zero, cub::Sum());
  }
  __device__ void ExclusiveSum(T input, T &exclusive, T &aggregate) {
    T zero = T();
    ExclusiveScan(input, exclusive, zero, cub::Sum(), aggregate);
  }
  __device__ T Broadcast(T input, unsigned int lane) {
    return detail::shuffle_index<LOGICAL_WARP_THREADS>(input, (int)lane);
  }
};

template <typename T, int BLOCK_DIM_X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY = 0>
class BlockReduce {
  static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  static constexpr int WARPS = (THREADS + 31) / 32;
  static constexpr int LOGICAL = THREADS < 32 ? THREADS : 32;

 public:
  struct TempStorage {
    char warp_reduce[WARPS];
    T warp_aggregates[WARPS];
    T block_prefix;
  };

 private:
  TempStorage &temp_storage;
  int linear_tid;
  __device__ static TempStorage &PrivateStorage() {
    __shared__ TempStorage private_storage;
    return private_storage;
  }

 public:
  __device__ BlockReduce()
      : temp_storage(PrivateStorage()), linear_tid(detail::row_major_tid<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>()) {}
  __device__ BlockReduce(TempStorage &storage)
      : temp_storage(storage), linear_tid(detail::row_major_tid<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>()) {}
  template <typename Op>
  __device__ T Reduce(T input, Op op, int valid) {
    if constexpr (ALGORITHM != BLOCK_REDUCE_WARP_REDUCTIONS || (THREADS & (THREADS - 1)) * (THREADS < 32) != 0) {
      return detail::other_algorithm(temp_storage, input);
    }
    const int lane = (int)detail::lane_id();
    const int warp = WARPS == 1 ? 0 : linear_tid / 32;
    T aggregate = input;
#pragma unroll
    for (int offset = 1; offset < LOGICAL; offset *= 2) {
      T other = detail::shuffle_down<32>(aggregate, offset);
      if (lane + offset < LOGICAL && warp * LOGICAL + lane + offset < valid) aggregate = op(aggregate, other);
    }
    if (lane == 0) temp_storage.warp_aggregates[warp] = aggregate;
    __syncthreads();
    if (linear_tid == 0) {
#pragma unroll
      for (int next = 1; next < WARPS; ++next) {
        if (next * LOGICAL < valid) {
          T addend = temp_storage.warp_aggregates[next];
          aggregate = op(aggregate, addend);
        }
      }
    }
    return aggregate;
  }
  template <typename Op>
  __device__ T Reduce(T input, Op op) { return Reduce(input, op, (int)THREADS); }
  template <int ITEMS, typename Op>
  __device__ T Reduce(T (&inputs)[ITEMS], Op op) {
    T partial = inputs[0];
#pragma unroll
    for (int i = 1; i < ITEMS; ++i) partial = op(partial, inputs[i]);
    return Reduce(partial, op, (int)THREADS);
  }
  __device__ T Sum(T input) { return Reduce(input, cub::Sum(), (int)THREADS); }
  __device__ T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
  template <int ITEMS>
  __device__ T Sum(T (&inputs)[ITEMS]) { return Reduce(inputs, cub::Sum()); }
};

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, bool WARP_TIME_SLICING = false, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY = 0>
class BlockExchange {
  static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  static constexpr int WARP = THREADS < 32 ? THREADS : 32;
  static constexpr int PADDED = (ITEMS_PER_THREAD > 4 && (ITEMS_PER_THREAD & (ITEMS_PER_THREAD - 1)) == 0) ? 1 : 0;
  static constexpr int TILE = THREADS * ITEMS_PER_THREAD;
  __device__ static int place(int at) { return PADDED ? at + (at >> 5) : at; }

 public:
  struct alignas(16) TempStorage {
    T buff[TILE + (PADDED ? TILE / 32 : 0)];
  };

 private:
  TempStorage &temp_storage;
  int linear_tid;
  __device__ static TempStorage &PrivateStorage() {
    __shared__ TempStorage private_storage;
    return private_storage;
  }
  __device__ int warp_offset() { return (THREADS <= 32 ? 0 : linear_tid / 32) * WARP * ITEMS_PER_THREAD; }

 public:
  __device__ BlockExchange()
      : temp_storage(PrivateStorage()), linear_tid(detail::row_major_tid<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>()) {}
  __device__ BlockExchange(TempStorage &storage)
      : temp_storage(storage), linear_tid(detail::row_major_tid<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>()) {}
  template <typename U>
  __device__ void BlockedToStriped(const T (&input)[ITEMS_PER_THREAD], U (&output)[ITEMS_PER_THREAD]) {
    if constexpr (WARP_TIME_SLICING) {
      detail::other_algorithm(temp_storage, output);
      return;
    }
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) temp_storage.buff[place(linear_tid * ITEMS_PER_THREAD + i)] = input[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) output[i] = temp_storage.buff[place(i * THREADS + linear_tid)];
  }
  template <typename U>
  __device__ void StripedToBlocked(const T (&input)[ITEMS_PER_THREAD], U (&output)[ITEMS_PER_THREAD]) {
    if constexpr (WARP_TIME_SLICING) {
      detail::other_algorithm(temp_storage, output);
      return;
    }
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) temp_storage.buff[place(i * THREADS + linear_tid)] = input[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) output[i] = temp_storage.buff[place(linear_tid * ITEMS_PER_THREAD + i)];
  }
  template <typename U>
  __device__ void BlockedToWarpStriped(const T (&input)[ITEMS_PER_THREAD], U (&output)[ITEMS_PER_THREAD]) {
    if constexpr (WARP_TIME_SLICING) {
      detail::other_algorithm(temp_storage, output);
      return;
    }
    const int lane = (int)detail::lane_id();
    const int first = warp_offset();
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i)
      temp_storage.buff[place(first + i + lane * ITEMS_PER_THREAD)] = input[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) output[i] = temp_storage.buff[place(first + i * WARP + lane)];
  }
  template <typename U>
  __device__ void WarpStripedToBlocked(const T (&input)[ITEMS_PER_THREAD], U (&output)[ITEMS_PER_THREAD]) {
    if constexpr (WARP_TIME_SLICING) {
      detail::other_algorithm(temp_storage, output);
      return;
    }
    const int lane = (int)detail::lane_id();
    const int first = warp_offset();
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) temp_storage.buff[place(first + i * WARP + lane)] = input[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i)
      output[i] = temp_storage.buff[place(first + i + lane * ITEMS_PER_THREAD)];
  }
  __device__ void BlockedToStriped(T (&items)[ITEMS_PER_THREAD]) { BlockedToStriped(items, items); }
  __device__ void StripedToBlocked(T (&items)[ITEMS_PER_THREAD]) { StripedToBlocked(items, items); }
  __device__ void BlockedToWarpStriped(T (&items)[ITEMS_PER_THREAD]) { BlockedToWarpStriped(items, items); }
  __device__ void WarpStripedToBlocked(T (&items)[ITEMS_PER_THREAD]) { WarpStripedToBlocked(items, items); }
};

template <typename T, int ITEMS, typename Iterator>
__device__ inline void LoadDirectBlocked(int linear_tid, Iterator source, T (&items)[ITEMS]) {
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) items[i] = source[linear_tid * ITEMS + i];
}
template <typename T, int ITEMS, typename Iterator>
__device__ inline void LoadDirectBlocked(int linear_tid, Iterator source, T (&items)[ITEMS], int valid) {
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (linear_tid * ITEMS + i < valid) items[i] = source[linear_tid * ITEMS + i];
  }
}
template <int BLOCK_THREADS, typename T, int ITEMS, typename Iterator>
__device__ inline void LoadDirectStriped(int linear_tid, Iterator source, T (&items)[ITEMS]) {
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) items[i] = source[linear_tid + i * BLOCK_THREADS];
}
template <int BLOCK_THREADS, typename T, int ITEMS, typename Iterator>
__device__ inline void LoadDirectStriped(int linear_tid, Iterator source, T (&items)[ITEMS], int valid) {
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (linear_tid + i * BLOCK_THREADS < valid) items[i] = source[linear_tid + i * BLOCK_THREADS];
  }
}
template <typename T, int ITEMS, typename Iterator>
__device__ inline void LoadDirectWarpStriped(int linear_tid, Iterator source, T (&items)[ITEMS]) {
  const int at = (linear_tid / 32) * 32 * ITEMS + (linear_tid & 31);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) items[i] = source[at + i * 32];
}
template <typename T, int ITEMS, typename Iterator>
__device__ inline void LoadDirectWarpStriped(int linear_tid, Iterator source, T (&items)[ITEMS], int valid) {
  const int at = (linear_tid / 32) * 32 * ITEMS + (linear_tid & 31);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (at + i * 32 < valid) items[i] = source[at + i * 32];
  }
}
template <typename T, int ITEMS>
__device__ inline void LoadDirectBlockedVectorized(int linear_tid, const T *source, T (&items)[ITEMS]) {
  typedef typename detail::Word<sizeof(T), alignof(T)>::Device W;
  constexpr int WORDS = sizeof(T) * ITEMS / sizeof(W);
  constexpr int WIDE = WORDS % 4 == 0 ? 4 : WORDS % 2 == 0 ? 2 : 1;
  if constexpr (sizeof(W) > 4 && WIDE > 1) {
    detail::other_algorithm(items, source);
    return;
  }
  typedef typename detail::Vector<W, WIDE>::Type V;
  if (reinterpret_cast<unsigned long long>(source) % alignof(V) != 0) {
    LoadDirectBlocked(linear_tid, source, items);
    return;
  }
  V vectors[WORDS / WIDE];
  const V *from = reinterpret_cast<const V *>(source) + linear_tid * (WORDS / WIDE);
#pragma unroll
  for (int i = 0; i < WORDS / WIDE; ++i) vectors[i] = from[i];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) items[i] = *(reinterpret_cast<T *>(vectors) + i);
}

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY = 0>
class BlockLoad {
  static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  static constexpr int EXCHANGES = ALGORITHM == BLOCK_LOAD_TRANSPOSE || ALGORITHM == BLOCK_LOAD_WARP_TRANSPOSE;
  typedef BlockExchange<T, BLOCK_DIM_X, ITEMS_PER_THREAD, false, BLOCK_DIM_Y, BLOCK_DIM_Z> Exchange;

 public:
  typedef typename If<EXCHANGES, typename Exchange::TempStorage, NullType>::Type TempStorage;

 private:
  TempStorage &temp_storage;
  int linear_tid;
  __device__ static TempStorage &PrivateStorage() {
    __shared__ TempStorage private_storage;
    return private_storage;
  }

 public:
  __device__ BlockLoad()
      : temp_storage(PrivateStorage()), linear_tid(detail::row_major_tid<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>()) {}
  __device__ BlockLoad(TempStorage &storage)
      : temp_storage(storage), linear_tid(detail::row_major_tid<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>()) {}
  template <typename Iterator>
  __device__ void Load(Iterator source, T (&items)[ITEMS_PER_THREAD]) {
    if constexpr (ALGORITHM == BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED) {
      detail::other_algorithm(temp_storage, items, source);
    } else if constexpr (ALGORITHM == BLOCK_LOAD_DIRECT) {
      LoadDirectBlocked(linear_tid, source, items);
    } else if constexpr (ALGORITHM == BLOCK_LOAD_STRIPED) {
      LoadDirectStriped<THREADS>(linear_tid, source, items);
    } else if constexpr (ALGORITHM == BLOCK_LOAD_VECTORIZE) {
      LoadDirectBlockedVectorized(linear_tid, source, items);
    } else if constexpr (ALGORITHM == BLOCK_LOAD_TRANSPOSE) {
      LoadDirectStriped<THREADS>(linear_tid, source, items);
      Exchange(temp_storage).StripedToBlocked(items, items);
    } else {
      LoadDirectWarpStriped(linear_tid, source, items);
      Exchange(temp_storage).WarpStripedToBlocked(items, items);
    }
  }
  template <typename Iterator>
  __device__ void Load(Iterator source, T (&items)[ITEMS_PER_THREAD], int valid) {
    if constexpr (ALGORITHM == BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED) {
      detail::other_algorithm(temp_storage, items, source);
    } else if constexpr (ALGORITHM == BLOCK_LOAD_DIRECT || ALGORITHM == BLOCK_LOAD_VECTORIZE) {
      LoadDirectBlocked(linear_tid, source, items, valid);
    } else if constexpr (ALGORITHM == BLOCK_LOAD_STRIPED) {
      LoadDirectStriped<THREADS>(linear_tid, source, items, valid);
    } else if constexpr (ALGORITHM == BLOCK_LOAD_TRANSPOSE) {
      LoadDirectStriped<THREADS>(linear_tid, source, items, valid);
      Exchange(temp_storage).StripedToBlocked(items, items);
    } else {
      LoadDirectWarpStriped(linear_tid, source, items, valid);
      Exchange(temp_storage).WarpStripedToBlocked(items, items);
    }
  }
  template <typename Iterator, typename Default>
  __device__ void Load(Iterator source, T (&items)[ITEMS_PER_THREAD], int valid, Default rest) {
#pragma unroll
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) items[i] = rest;
    Load(source, items, valid);
  }
};

template <typename T, int ITEMS, typename Iterator>
__device__ inline void StoreDirectBlocked(int linear_tid, Iterator to, T (&items)[ITEMS]) {
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) to[linear_tid * ITEMS + i] = items[i];
}
template <typename T, int ITEMS, typename Iterator>
__device__ inline void StoreDirectBlocked(int linear_tid, Iterator to, T (&items)[ITEMS], int valid) {
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (linear_tid * ITEMS + i < valid) to[linear_tid * ITEMS + i] = items[i];
  }
}
template <int BLOCK_THREADS, typename T, int ITEMS, typename Iterator>
__device__ inline void StoreDirectStriped(int linear_tid, Iterator to, T (&items)[ITEMS]) {
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) to[linear_tid + i * BLOCK_THREADS] = items[i];
}
template <int BLOCK_THREADS, typename T, int ITEMS, typename Iterator>
__device__ inline void StoreDirectStriped(int linear_tid, Iterator to, T (&items)[ITEMS], int valid) {
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (linear_tid + i * BLOCK_THREADS < valid) to[linear_tid + i * BLOCK_THREADS] = items[i];
  }
}
template <typename T, int ITEMS, typename Iterator>
__device__ inline void StoreDirectWarpStriped(int linear_tid, Iterator to, T (&items)[ITEMS]) {
  const int at = (linear_tid / 32) * 32 * ITEMS + (linear_tid & 31);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) to[at + i * 32] = items[i];
}
template <typename T, int ITEMS, typename Iterator>
__device__ inline void StoreDirectWarpStriped(int linear_tid, Iterator to, T (&items)[ITEMS], int valid) {
  const int at = (linear_tid / 32) * 32 * ITEMS + (linear_tid & 31);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (at + i * 32 < valid) to[at + i * 32] = items[i];
  }
}
template <typename T, int ITEMS>
__device__ inline void StoreDirectBlockedVectorized(int linear_tid, T *to, T (&items)[ITEMS]) {
  constexpr int MOST = ITEMS < 4 ? ITEMS : 4;
  constexpr int WIDE = ((MOST - 1) & MOST) == 0 && ITEMS % MOST == 0 ? MOST : 1;
  if constexpr (WIDE > 1 && !detail::HasVector<T, sizeof(T)>::VALUE) {
    detail::other_algorithm(items, to);
    return;
  }
  typedef typename detail::Vector<T, WIDE>::Type V;
  V *wide = reinterpret_cast<V *>(to);
  V vectors[ITEMS / WIDE];
  T *one = reinterpret_cast<T *>(vectors);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) one[i] = items[i];
  StoreDirectBlocked(linear_tid, wide, vectors);
}

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY = 0>
class BlockStore {
  static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  static constexpr int EXCHANGES = ALGORITHM == BLOCK_STORE_TRANSPOSE || ALGORITHM == BLOCK_STORE_WARP_TRANSPOSE;
  typedef BlockExchange<T, BLOCK_DIM_X, ITEMS_PER_THREAD, false, BLOCK_DIM_Y, BLOCK_DIM_Z> Exchange;
  struct Transposed : Exchange::TempStorage {
    int valid_items;
  };

 public:
  typedef typename If<EXCHANGES, Transposed, NullType>::Type TempStorage;

 private:
  TempStorage &temp_storage;
  int linear_tid;
  __device__ static TempStorage &PrivateStorage() {
    __shared__ TempStorage private_storage;
    return private_storage;
  }

 public:
  __device__ BlockStore()
      : temp_storage(PrivateStorage()), linear_tid(detail::row_major_tid<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>()) {}
  __device__ BlockStore(TempStorage &storage)
      : temp_storage(storage), linear_tid(detail::row_major_tid<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>()) {}
  template <typename Iterator>
  __device__ void Store(Iterator to, T (&items)[ITEMS_PER_THREAD]) {
    if constexpr (ALGORITHM == BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED) {
      detail::other_algorithm(temp_storage, items, to);
    } else if constexpr (ALGORITHM == BLOCK_STORE_DIRECT) {
      StoreDirectBlocked(linear_tid, to, items);
    } else if constexpr (ALGORITHM == BLOCK_STORE_STRIPED) {
      StoreDirectStriped<THREADS>(linear_tid, to, items);
    } else if constexpr (ALGORITHM == BLOCK_STORE_VECTORIZE) {
      StoreDirectBlockedVectorized(linear_tid, to, items);
    } else if constexpr (ALGORITHM == BLOCK_STORE_TRANSPOSE) {
      Exchange(temp_storage).BlockedToStriped(items);
      StoreDirectStriped<THREADS>(linear_tid, to, items);
    } else {
      Exchange(temp_storage).BlockedToWarpStriped(items);
      StoreDirectWarpStriped(linear_tid, to, items);
    }
  }
  template <typename Iterator>
  __device__ void Store(Iterator to, T (&items)[ITEMS_PER_THREAD], int valid) {
    if constexpr (ALGORITHM == BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED) {
      detail::other_algorithm(temp_storage, items, to);
    } else if constexpr (ALGORITHM == BLOCK_STORE_DIRECT || ALGORITHM == BLOCK_STORE_VECTORIZE) {
      StoreDirectBlocked(linear_tid, to, items, valid);
    } else if constexpr (ALGORITHM == BLOCK_STORE_STRIPED) {
      StoreDirectStriped<THREADS>(linear_tid, to, items, valid);
    } else if constexpr (ALGORITHM == BLOCK_STORE_TRANSPOSE) {
      Exchange(temp_storage).BlockedToStriped(items);
      if (linear_tid == 0) *(volatile int *)&temp_storage.valid_items = valid;
      __syncthreads();
      const int kept = *(volatile int *)&temp_storage.valid_items;
      StoreDirectStriped<THREADS>(linear_tid, to, items, valid);
    } else {
      Exchange(temp_storage).BlockedToWarpStriped(items);
      if (linear_tid == 0) *(volatile int *)&temp_storage.valid_items = valid;
      __syncthreads();
      const int kept = *(volatile int *)&temp_storage.valid_items;
      StoreDirectWarpStriped(linear_tid, to, items, valid);
    }
  }
};

template <typename T, int BLOCK_THREADS, int LEGACY = 0>
struct BlockRakingLayout {
  static constexpr int SHARED_ELEMENTS = BLOCK_THREADS;
  static constexpr int MAX_RAKING_THREADS = BLOCK_THREADS < 32 ? BLOCK_THREADS : 32;
  static constexpr int SEGMENT_LENGTH = (SHARED_ELEMENTS + MAX_RAKING_THREADS - 1) / MAX_RAKING_THREADS;
  static constexpr int RAKING_THREADS = (SHARED_ELEMENTS + SEGMENT_LENGTH - 1) / SEGMENT_LENGTH;
  static constexpr int USE_SEGMENT_PADDING = ((SEGMENT_LENGTH & 1) == 0 && SEGMENT_LENGTH > 2) ? 1 : 0;
  static constexpr int GRID_ELEMENTS = RAKING_THREADS * (SEGMENT_LENGTH + USE_SEGMENT_PADDING);
  static constexpr int UNGUARDED = (SHARED_ELEMENTS % RAKING_THREADS == 0) ? 1 : 0;
  struct alignas(16) TempStorage {
    T buff[GRID_ELEMENTS];
    __device__ TempStorage &Alias() { return *this; }
  };
  __device__ static T *PlacementPtr(TempStorage &storage, unsigned int linear_tid) {
    unsigned int offset = linear_tid;
    if (USE_SEGMENT_PADDING > 0) offset += offset / SEGMENT_LENGTH;
    return storage.buff + offset;
  }
  __device__ static T *RakingPtr(TempStorage &storage, unsigned int linear_tid) {
    return storage.buff + linear_tid * (SEGMENT_LENGTH + USE_SEGMENT_PADDING);
  }
};

template <typename T, int BLOCK_DIM_X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY = 0>
class BlockScan {
  static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  static constexpr int WARPS = (THREADS + 31) / 32;
  static constexpr int BY_WARPS = (ALGORITHM == BLOCK_SCAN_WARP_SCANS && THREADS % 32 == 0) ? 1 : 0;
  static constexpr int MEMOIZES = ALGORITHM == BLOCK_SCAN_RAKING_MEMOIZE ? 1 : 0;
  typedef BlockRakingLayout<T, THREADS> Layout;
  struct alignas(16) OfWarps {
    T warp_aggregates[WARPS];
    char warp_scan[WARPS];
    T block_prefix;
  };
  struct Raking {
    char warp_scan[1];
    typename Layout::TempStorage raking_grid;
    T block_aggregate;
  };

 public:
  typedef typename If<BY_WARPS != 0, OfWarps, Raking>::Type TempStorage;

 private:
  TempStorage &temp_storage;
  int linear_tid;
  __device__ static TempStorage &PrivateStorage() {
    __shared__ TempStorage private_storage;
    return private_storage;
  }

  // What all threads before this one's warp have together; each thread reads every warp's part.
  template <typename Op>
  __device__ T WarpPrefix(Op op, T warp_aggregate, T &block_aggregate) {
    const int warp = WARPS == 1 ? 0 : linear_tid / 32;
    if (detail::lane_id() == 31) temp_storage.warp_aggregates[warp] = warp_aggregate;
    __syncthreads();
    block_aggregate = temp_storage.warp_aggregates[0];
    T prefix;
#pragma unroll
    for (int next = 1; next < WARPS; ++next) {
      if (warp == next) prefix = block_aggregate;
      T addend = temp_storage.warp_aggregates[next];
      block_aggregate = op(block_aggregate, addend);
    }
    return prefix;
  }

  // The rows of the raking grid: what stands before each thread's value, or with it.
  template <bool IS_INCLUSIVE, typename Op>
  __device__ void Rake(T input, T &output, Op op, bool has_initial, T initial, bool keeps, T &block_aggregate) {
    constexpr int RAKING_THREADS = Layout::RAKING_THREADS;
    constexpr int SEGMENT = Layout::SEGMENT_LENGTH;
    T *placement = Layout::PlacementPtr(temp_storage.raking_grid, linear_tid);
    *placement = input;
    __syncthreads();
    if (linear_tid < RAKING_THREADS) {
      T cached[SEGMENT];
      T *row = Layout::RakingPtr(temp_storage.raking_grid, linear_tid);
#pragma unroll
      for (int i = 0; i < SEGMENT; ++i) cached[i] = row[i];
      T partial = cached[0];
#pragma unroll
      for (int i = 1; i < SEGMENT; ++i) {
        if (Layout::UNGUARDED || linear_tid * SEGMENT + i < THREADS) partial = op(partial, cached[i]);
      }
      T inclusive;
      T before;
      typename WarpScan<T, 32>::TempStorage none;
      WarpScan<T, 32>(none).Scan(partial, inclusive, before, op);
      if (has_initial) {
        inclusive = op(initial, inclusive);
        before = linear_tid == 0 ? initial : op(initial, before);
      }
      if (!MEMOIZES) {
#pragma unroll
        for (int i = 0; i < SEGMENT; ++i) cached[i] = row[i];
      }
#pragma unroll
      for (int i = 0; i < SEGMENT; ++i) {
        T with = (linear_tid == 0 && i == 0 && !has_initial) ? cached[i] : op(before, cached[i]);
        cached[i] = IS_INCLUSIVE ? with : before;
        before = with;
      }
#pragma unroll
      for (int i = 0; i < SEGMENT; ++i) row[i] = cached[i];
      if (keeps && linear_tid == RAKING_THREADS - 1) temp_storage.block_aggregate = inclusive;
    }
    __syncthreads();
    output = *placement;
    if (keeps) block_aggregate = temp_storage.block_aggregate;
  }

  template <bool IS_INCLUSIVE, typename Op>
  __device__ void One(T input, T &output, Op op, bool has_initial, T initial, bool keeps, T &block_aggregate) {
    if constexpr (BY_WARPS != 0) {
      typename WarpScan<T, 32>::TempStorage none;
      T inclusive;
      T before;
      WarpScan<T, 32>(none).Scan(input, inclusive, before, op);
      T prefix = WarpPrefix(op, inclusive, block_aggregate);
      if (has_initial) prefix = linear_tid < 32 ? initial : op(initial, prefix);
      if (linear_tid >= 32 || has_initial) {
        inclusive = op(prefix, inclusive);
        before = detail::lane_id() == 0 ? prefix : op(prefix, before);
      }
      output = IS_INCLUSIVE ? inclusive : before;
    } else if constexpr (THREADS <= 32) {
      typename WarpScan<T, 32>::TempStorage none;
      T inclusive;
      T before;
      WarpScan<T, 32>(none).Scan(input, inclusive, before, op);
      if (has_initial) {
        inclusive = op(initial, inclusive);
        before = linear_tid == 0 ? initial : op(initial, before);
      }
      block_aggregate = detail::shuffle_index<32>(inclusive, THREADS - 1);
      output = IS_INCLUSIVE ? inclusive : before;
    } else {
      Rake<IS_INCLUSIVE>(input, output, op, has_initial, initial, keeps, block_aggregate);
    }
  }

  template <bool IS_INCLUSIVE, int ITEMS, typename Op>
  __device__ void Several(T (&input)[ITEMS], T (&output)[ITEMS], Op op, bool has_initial, T initial, bool keeps,
                          T &block_aggregate) {
    T partial = input[0];
#pragma unroll
    for (int i = 1; i < ITEMS; ++i) partial = op(partial, input[i]);
    T before;
    One<false>(partial, before, op, has_initial, initial, keeps, block_aggregate);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      T with = (linear_tid == 0 && i == 0 && !has_initial) ? input[i] : op(before, input[i]);
      output[i] = IS_INCLUSIVE ? with : before;
      before = with;
    }
  }

  // With what a callback of the first warp says of all blocks before.
  template <typename Op, typename Callback>
  __device__ void OneAfter(T input, T &output, Op op, Callback &callback) {
    typename WarpScan<T, 32>::TempStorage none;
    if constexpr (BY_WARPS != 0) {
      T aggregate;
      One<false>(input, output, op, false, input, true, aggregate);
      if (linear_tid < 32) {
        T before = callback(aggregate);
        if (detail::lane_id() == 0) {
          temp_storage.block_prefix = before;
          output = before;
        }
      }
      __syncthreads();
      T before = temp_storage.block_prefix;
      if (linear_tid > 0) output = op(before, output);
    } else {
      detail::other_algorithm(temp_storage, output, &callback);
    }
  }

 public:
  __device__ BlockScan()
      : temp_storage(PrivateStorage()), linear_tid(detail::row_major_tid<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>()) {}
  __device__ BlockScan(TempStorage &storage)
      : temp_storage(storage), linear_tid(detail::row_major_tid<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>()) {}

  __device__ void ExclusiveSum(T input, T &output) {
    T zero = T(), none;
    One<false>(input, output, cub::Sum(), true, zero, false, none);
  }
  __device__ void ExclusiveSum(T input, T &output, T &block_aggregate) {
    T zero = T();
    One<false>(input, output, cub::Sum(), true, zero, true, block_aggregate);
  }
  template <int ITEMS>
  __device__ void ExclusiveSum(T (&input)[ITEMS], T (&output)[ITEMS]) {
    T zero = T(), none;
    Several<false>(input, output, cub::Sum(), true, zero, false, none);
  }
  template <int ITEMS>
  __device__ void ExclusiveSum(T (&input)[ITEMS], T (&output)[ITEMS], T &block_aggregate) {
    T zero = T();
    Several<false>(input, output, cub::Sum(), true, zero, true, block_aggregate);
  }
  __device__ void InclusiveSum(T input, T &output) {
    T none;
    One<true>(input, output, cub::Sum(), false, input, false, none);
  }
  __device__ void InclusiveSum(T input, T &output, T &block_aggregate) {
    One<true>(input, output, cub::Sum(), false, input, true, block_aggregate);
  }
  template <int ITEMS>
  __device__ void InclusiveSum(T (&input)[ITEMS], T (&output)[ITEMS]) {
    T none;
    Several<true>(input, output, cub::Sum(), false, input[0], false, none);
  }
  template <typename Op>
  __device__ void InclusiveScan(T input, T &output, Op op) {
    T none;
    One<true>(input, output, op, false, input, false, none);
  }
  template <typename Op>
  __device__ void InclusiveScan(T input, T &output, Op op, T &block_aggregate) {
    One<true>(input, output, op, false, input, true, block_aggregate);
  }
  template <int ITEMS, typename Op>
  __device__ void InclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], Op op) {
    T none;
    Several<true>(input, output, op, false, input[0], false, none);
  }
  template <int ITEMS, typename Op>
  __device__ void InclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], Op op, T &block_aggregate) {
    Several<true>(input, output, op, false, input[0], true, block_aggregate);
  }
  template <typename Op, typename Callback>
  __device__ void InclusiveScan(T input, T &output, Op op, Callback &callback) {
    T before;
    OneAfter(input, before, op, callback);
    output = op(before, input);
  }
  template <int ITEMS, typename Op, typename Callback>
  __device__ void InclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], Op op, Callback &callback) {
    T partial = input[0];
#pragma unroll
    for (int i = 1; i < ITEMS; ++i) partial = op(partial, input[i]);
    T before;
    OneAfter(partial, before, op, callback);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      before = op(before, input[i]);
      output[i] = before;
    }
  }
  template <typename Op, typename Callback>
  __device__ void ExclusiveScan(T input, T &output, Op op, Callback &callback) {
    OneAfter(input, output, op, callback);
  }
  template <typename Callback>
  __device__ void ExclusiveSum(T input, T &output, Callback &callback) {
    OneAfter(input, output, cub::Sum(), callback);
  }
  template <typename Op>
  __device__ void ExclusiveScan(T input, T &output, T initial, Op op) {
    T none;
    One<false>(input, output, op, true, initial, false, none);
  }
  template <typename Op>
  __device__ void ExclusiveScan(T input, T &output, T initial, Op op, T &block_aggregate) {
    One<false>(input, output, op, true, initial, true, block_aggregate);
  }
  template <int ITEMS, typename Op>
  __device__ void ExclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], T initial, Op op) {
    T none;
    Several<false>(input, output, op, true, initial, false, none);
  }
};

template <typename T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY = 0>
class BlockAdjacentDifference {
  static constexpr int THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

 public:
  struct TempStorage {
    T first_items[THREADS];
    T last_items[THREADS];
  };

 private:
  TempStorage &temp_storage;
  int linear_tid;
  __device__ static TempStorage &PrivateStorage() {
    __shared__ TempStorage private_storage;
    return private_storage;
  }
  template <int ITEMS, typename Output, typename Op>
  __device__ void Left(T (&input)[ITEMS], Output (&output)[ITEMS], Op op) {
#pragma unroll
    for (int i = ITEMS - 1; i > 0; --i) output[i] = op(input[i], input[i - 1]);
  }

 public:
  __device__ BlockAdjacentDifference()
      : temp_storage(PrivateStorage()), linear_tid(detail::row_major_tid<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>()) {}
  __device__ BlockAdjacentDifference(TempStorage &storage)
      : temp_storage(storage), linear_tid(detail::row_major_tid<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>()) {}
  template <int ITEMS, typename Output, typename Op>
  __device__ void SubtractLeft(T (&input)[ITEMS], Output (&output)[ITEMS], Op op) {
    temp_storage.last_items[linear_tid] = input[ITEMS - 1];
    __syncthreads();
    Left(input, output, op);
    if (linear_tid == 0) {
      output[0] = input[0];
    } else {
      output[0] = op(input[0], temp_storage.last_items[linear_tid - 1]);
    }
  }
  template <int ITEMS, typename Output, typename Op>
  __device__ void SubtractLeft(T (&input)[ITEMS], Output (&output)[ITEMS], Op op, T before) {
    temp_storage.last_items[linear_tid] = input[ITEMS - 1];
    __syncthreads();
    Left(input, output, op);
    if (linear_tid == 0) {
      output[0] = op(input[0], before);
    } else {
      output[0] = op(input[0], temp_storage.last_items[linear_tid - 1]);
    }
  }
  template <int ITEMS, typename Output, typename Op>
  __device__ void SubtractRight(T (&input)[ITEMS], Output (&output)[ITEMS], Op op, T after) {
    temp_storage.first_items[linear_tid] = input[0];
    __syncthreads();
    T next = linear_tid == THREADS - 1 ? after : temp_storage.first_items[linear_tid + 1];
#pragma unroll
    for (int i = 0; i < ITEMS - 1; ++i) output[i] = op(input[i], input[i + 1]);
    output[ITEMS - 1] = op(input[ITEMS - 1], next);
  }
};

}  // namespace cub
