// What device code takes from CUTLASS beside its matrix products: arrays of numbers and how they are converted,
// barriers, numbers of warps and lanes. Layouts and tensors of CuTe are not laid out here.
#ifndef CUTLASS_HOST_DEVICE
#define CUTLASS_HOST_DEVICE __forceinline__ __device__ __host__
#define CUTLASS_DEVICE __forceinline__ __device__
#define CUTLASS_HOST __host__
#define CUTLASS_GLOBAL __global__ static
#define CUTLASS_PRAGMA_UNROLL _Pragma("unroll")
#define CUTLASS_PRAGMA_NO_UNROLL _Pragma("unroll 1")
#define CUTLASS_GRID_CONSTANT __grid_constant__
#define CUTE_HOST_DEVICE __forceinline__ __host__ __device__
#define CUTE_DEVICE __forceinline__ __device__
#define CUTE_HOST __host__
#define CUTE_UNROLL _Pragma("unroll")
#define CUTE_NO_UNROLL _Pragma("unroll 1")
#define CUTE_GRID_CONSTANT __grid_constant__
namespace cutlass {

static const int NumThreadsPerWarp = 32;
static const int NumThreadsPerWarpGroup = 128;
static const int NumWarpsPerWarpGroup = 4;
static const int NumThreadsPerHalfWarp = 16;
static const int NumThreadsPerQuad = 4;
static const int NumThreadsPerQuadPair = 8;

CUTLASS_DEVICE int canonical_lane_idx() { return threadIdx.x % 32; }
CUTLASS_DEVICE int canonical_warp_idx() { return threadIdx.x / 32; }
CUTLASS_DEVICE int canonical_warp_idx_sync() { return __shfl_sync(0xffffffff, threadIdx.x / 32, 0); }
CUTLASS_DEVICE int canonical_warp_group_idx() { return __shfl_sync(0xffffffff, threadIdx.x / 128, 0); }

// Numbers narrower than a byte are known by their size only.
struct int4b_t;
struct uint4b_t;
struct int2b_t;
struct uint2b_t;
struct uint1b_t;
struct float_e2m1_t;

// Numbers of floating point are their bits.
#define _CUDALINT_FLOAT(NAME, BITS, OF_FLOAT, TO_FLOAT) \
  struct NAME { \
    BITS storage; \
    NAME() = default; \
    CUTLASS_HOST_DEVICE explicit NAME(float x) OF_FLOAT \
    CUTLASS_HOST_DEVICE explicit NAME(double x) : NAME(float(x)) {} \
    CUTLASS_HOST_DEVICE explicit NAME(int x) : NAME(float(x)) {} \
    CUTLASS_HOST_DEVICE operator float() const TO_FLOAT \
    CUTLASS_HOST_DEVICE BITS raw() const { return storage; } \
    CUTLASS_HOST_DEVICE static NAME bitcast(BITS x) { \
      NAME made; \
      made.storage = x; \
      return made; \
    } \
  };
_CUDALINT_FLOAT(half_t, unsigned short, { storage = __half_as_ushort(__float2half(x)); }, {
  return __half2float(__ushort_as_half(storage));
})
_CUDALINT_FLOAT(bfloat16_t, unsigned short, { storage = __bfloat16_as_ushort(__float2bfloat16(x)); }, {
  return __bfloat162float(__ushort_as_bfloat16(storage));
})
_CUDALINT_FLOAT(tfloat32_t, unsigned int, { asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(storage) : "f"(x)); }, {
  return __uint_as_float(storage);
})
_CUDALINT_FLOAT(float_e4m3_t, unsigned char, { storage = __nv_cvt_float_to_fp8(x, 1, 0); }, {
  return __half2float(__nv_cvt_fp8_to_halfraw(storage, 0));
})
_CUDALINT_FLOAT(float_e5m2_t, unsigned char, { storage = __nv_cvt_float_to_fp8(x, 1, 1); }, {
  return __half2float(__nv_cvt_fp8_to_halfraw(storage, 1));
})
#undef _CUDALINT_FLOAT

template <typename T>
struct sizeof_bits {
  static constexpr int value = int(sizeof(T) * 8);
};
template <typename T>
struct sizeof_bits<const T> : sizeof_bits<T> {};
template <> struct sizeof_bits<void> { static constexpr int value = 0; };
template <> struct sizeof_bits<int4b_t> { static constexpr int value = 4; };
template <> struct sizeof_bits<uint4b_t> { static constexpr int value = 4; };
template <> struct sizeof_bits<float_e2m1_t> { static constexpr int value = 4; };
template <> struct sizeof_bits<int2b_t> { static constexpr int value = 2; };
template <> struct sizeof_bits<uint2b_t> { static constexpr int value = 2; };
template <> struct sizeof_bits<uint1b_t> { static constexpr int value = 1; };
template <typename T>
static constexpr int sizeof_bits_v = sizeof_bits<T>::value;

template <typename T>
constexpr CUTLASS_HOST_DEVICE T const_max(T a, T b) { return a > b ? a : b; }
template <typename T>
constexpr CUTLASS_HOST_DEVICE T const_min(T a, T b) { return a < b ? a : b; }
template <typename A, typename B>
constexpr CUTLASS_HOST_DEVICE auto ceil_div(A a, B b) { return (a + b - 1) / b; }
template <typename A, typename B>
constexpr CUTLASS_HOST_DEVICE auto round_up(A a, B b) { return ((a + b - 1) / b) * b; }

// Elements of 32 bits and more lie as in any array; narrower ones lie in words, which are read and written whole.
template <typename T, int N, bool WHOLE = sizeof_bits<T>::value >= 32>
struct Array;
template <typename T, int N, bool WHOLE>
struct sizeof_bits<Array<T, N, WHOLE>> {
  static constexpr int value = int(sizeof(Array<T, N, WHOLE>) * 8);
};

template <typename T, int N>
struct Array<T, N, true> {
  using Element = T;
  using Storage = T;
  typedef T value_type;
  typedef T *pointer;
  typedef const T *const_pointer;
  typedef T &reference;
  typedef const T &const_reference;
  static constexpr size_t kElements = N;
  static constexpr size_t kStorageElements = N;
  T storage[N];
  CUTLASS_HOST_DEVICE T &operator[](size_t i) { return storage[i]; }
  CUTLASS_HOST_DEVICE const T &operator[](size_t i) const { return storage[i]; }
  CUTLASS_HOST_DEVICE T &at(size_t i) { return storage[i]; }
  CUTLASS_HOST_DEVICE const T &at(size_t i) const { return storage[i]; }
  CUTLASS_HOST_DEVICE T *data() { return storage; }
  CUTLASS_HOST_DEVICE const T *data() const { return storage; }
  CUTLASS_HOST_DEVICE T *raw_data() { return storage; }
  CUTLASS_HOST_DEVICE const T *raw_data() const { return storage; }
  CUTLASS_HOST_DEVICE T *begin() { return storage; }
  CUTLASS_HOST_DEVICE const T *begin() const { return storage; }
  CUTLASS_HOST_DEVICE T *end() { return storage + N; }
  CUTLASS_HOST_DEVICE const T *end() const { return storage + N; }
  CUTLASS_HOST_DEVICE static constexpr size_t size() { return N; }
  CUTLASS_HOST_DEVICE void fill(const T &value) {
#pragma unroll
    for (int i = 0; i < N; ++i) storage[i] = value;
  }
  CUTLASS_HOST_DEVICE void clear() { fill(T(0)); }
};

template <int BITS, bool OF_32 = BITS % 32 == 0, bool OF_16 = BITS % 16 == 0>
struct _WordOfArray { typedef unsigned char type; };
template <int BITS, bool OF_16>
struct _WordOfArray<BITS, true, OF_16> { typedef unsigned int type; };
template <int BITS>
struct _WordOfArray<BITS, false, true> { typedef unsigned short type; };

template <typename T, int N>
struct Array<T, N, false> {
  using Element = T;
  using Storage = typename _WordOfArray<sizeof_bits<T>::value * N>::type;
  typedef T value_type;
  typedef T *pointer;
  typedef const T *const_pointer;
  static constexpr int kElementsPerStoredItem = int(sizeof(Storage) * 8) / sizeof_bits<T>::value;
  static constexpr size_t kElements = N;
  static constexpr size_t kStorageElements = (N + kElementsPerStoredItem - 1) / kElementsPerStoredItem;
  struct reference {
    Storage *word;
    int index;
    CUTLASS_HOST_DEVICE T get() const {
      Storage held = *word;
      return reinterpret_cast<const T *>(&held)[index];
    }
    CUTLASS_HOST_DEVICE operator T() const { return get(); }
    CUTLASS_HOST_DEVICE reference &operator=(T x) {
      Storage held = *word;
      reinterpret_cast<T *>(&held)[index] = x;
      *word = held;
      return *this;
    }
    CUTLASS_HOST_DEVICE reference &operator=(const reference &x) { return *this = x.get(); }
  };
  Storage storage[kStorageElements];
  CUTLASS_HOST_DEVICE reference operator[](size_t i) {
    return reference{storage + i / kElementsPerStoredItem, int(i % kElementsPerStoredItem)};
  }
  CUTLASS_HOST_DEVICE T operator[](size_t i) const {
    Storage held = storage[i / kElementsPerStoredItem];
    return reinterpret_cast<const T *>(&held)[i % kElementsPerStoredItem];
  }
  CUTLASS_HOST_DEVICE reference at(size_t i) { return (*this)[i]; }
  CUTLASS_HOST_DEVICE T at(size_t i) const { return (*this)[i]; }
  CUTLASS_HOST_DEVICE T *data() { return reinterpret_cast<T *>(storage); }
  CUTLASS_HOST_DEVICE const T *data() const { return reinterpret_cast<const T *>(storage); }
  CUTLASS_HOST_DEVICE Storage *raw_data() { return storage; }
  CUTLASS_HOST_DEVICE const Storage *raw_data() const { return storage; }
  CUTLASS_HOST_DEVICE static constexpr size_t size() { return N; }
  CUTLASS_HOST_DEVICE void fill(const T &value) {
#pragma unroll
    for (int i = 0; i < N; ++i) (*this)[i] = value;
  }
  CUTLASS_HOST_DEVICE void clear() {
#pragma unroll
    for (int i = 0; i < int(kStorageElements); ++i) storage[i] = Storage(0);
  }
};

template <typename T, int N, int ALIGN = (sizeof_bits<T>::value * N + 7) / 8>
class alignas(ALIGN) AlignedArray : public Array<T, N> {};
template <typename T, int N, int ALIGN = 16>
struct AlignedBuffer {
  static const int kCount = N;
  static const int kAlign = ALIGN;
  alignas(ALIGN) unsigned char storage[(sizeof_bits<T>::value * N + 7) / 8];
  CUTLASS_HOST_DEVICE T *data() { return reinterpret_cast<T *>(storage); }
  CUTLASS_HOST_DEVICE const T *data() const { return reinterpret_cast<const T *>(storage); }
};

#define _CUDALINT_EACH(OP) \
  template <typename T, int N, bool WHOLE> \
  CUTLASS_HOST_DEVICE Array<T, N> operator OP(const Array<T, N, WHOLE> &a, const Array<T, N, WHOLE> &b) { \
    Array<T, N> made; \
    _Pragma("unroll") for (int i = 0; i < N; ++i) made[i] = T(a[i] OP b[i]); \
    return made; \
  } \
  template <typename T, int N, bool WHOLE> \
  CUTLASS_HOST_DEVICE Array<T, N> operator OP(const T &a, const Array<T, N, WHOLE> &b) { \
    Array<T, N> made; \
    _Pragma("unroll") for (int i = 0; i < N; ++i) made[i] = T(a OP b[i]); \
    return made; \
  } \
  template <typename T, int N, bool WHOLE> \
  CUTLASS_HOST_DEVICE Array<T, N> operator OP(const Array<T, N, WHOLE> &a, const T &b) { \
    Array<T, N> made; \
    _Pragma("unroll") for (int i = 0; i < N; ++i) made[i] = T(a[i] OP b); \
    return made; \
  }
_CUDALINT_EACH(+)
_CUDALINT_EACH(-)
_CUDALINT_EACH(*)
_CUDALINT_EACH(/)
#undef _CUDALINT_EACH

enum class FloatRoundStyle {
  round_indeterminate,
  round_toward_zero,
  round_to_nearest,
  round_to_nearest_satfinite,
  round_toward_infinity,
  round_toward_neg_infinity,
  round_half_ulp_truncate,
  round_half_ulp_trunc_dntz
};

// Of a whole number that another type becomes it is not said here how it is rounded, and where it ends.
template <typename T>
struct _IsWhole { static constexpr bool value = false; };
template <> struct _IsWhole<bool> { static constexpr bool value = true; };
template <> struct _IsWhole<char> { static constexpr bool value = true; };
template <> struct _IsWhole<signed char> { static constexpr bool value = true; };
template <> struct _IsWhole<unsigned char> { static constexpr bool value = true; };
template <> struct _IsWhole<short> { static constexpr bool value = true; };
template <> struct _IsWhole<unsigned short> { static constexpr bool value = true; };
template <> struct _IsWhole<int> { static constexpr bool value = true; };
template <> struct _IsWhole<unsigned int> { static constexpr bool value = true; };
template <> struct _IsWhole<long> { static constexpr bool value = true; };
template <> struct _IsWhole<unsigned long> { static constexpr bool value = true; };
template <> struct _IsWhole<long long> { static constexpr bool value = true; };
template <> struct _IsWhole<unsigned long long> { static constexpr bool value = true; };
template <typename T, typename S, bool IS_WHOLE = _IsWhole<T>::value>
struct _Converted {
  CUTLASS_HOST_DEVICE static T of(const S &x) { return static_cast<T>(static_cast<float>(x)); }
};
template <typename T, typename S>
struct _Converted<T, S, true> {
  CUTLASS_HOST_DEVICE static T of(const S &x);
};
template <typename T>
struct _Converted<T, T, true> {
  CUTLASS_HOST_DEVICE static T of(const T &x) { return x; }
};
template <typename T, typename S, FloatRoundStyle ROUND = FloatRoundStyle::round_to_nearest>
struct NumericConverter {
  using result_type = T;
  using source_type = S;
  static FloatRoundStyle const round_style = ROUND;
  CUTLASS_HOST_DEVICE static T convert(const S &x) {
    return _Converted<T, S>::of(x);
  }
  CUTLASS_HOST_DEVICE T operator()(const S &x) const { return convert(x); }
};
template <typename T, typename S, int N, FloatRoundStyle ROUND = FloatRoundStyle::round_to_nearest>
struct NumericArrayConverter {
  using result_type = Array<T, N>;
  using source_type = Array<S, N>;
  static FloatRoundStyle const round_style = ROUND;
  CUTLASS_HOST_DEVICE static result_type convert(const source_type &x) {
    result_type made;
#pragma unroll
    for (int i = 0; i < N; ++i) made[i] = NumericConverter<T, S, ROUND>::convert(x[i]);
    return made;
  }
  CUTLASS_HOST_DEVICE result_type operator()(const source_type &x) const { return convert(x); }
};

#define _CUDALINT_OF_TWO(NAME, VALUE) \
  template <typename T> \
  struct NAME { \
    CUTLASS_HOST_DEVICE T operator()(const T &a, const T &b) const { return VALUE; } \
  }; \
  template <typename T, int N, bool WHOLE> \
  struct NAME<Array<T, N, WHOLE>> { \
    CUTLASS_HOST_DEVICE Array<T, N> operator()(const Array<T, N, WHOLE> &a, const Array<T, N, WHOLE> &b) const { \
      NAME<T> of_one; \
      Array<T, N> made; \
      _Pragma("unroll") for (int i = 0; i < N; ++i) made[i] = of_one(a[i], b[i]); \
      return made; \
    } \
    CUTLASS_HOST_DEVICE Array<T, N> operator()(const Array<T, N, WHOLE> &a, const T &b) const { \
      NAME<T> of_one; \
      Array<T, N> made; \
      _Pragma("unroll") for (int i = 0; i < N; ++i) made[i] = of_one(a[i], b); \
      return made; \
    } \
    CUTLASS_HOST_DEVICE Array<T, N> operator()(const T &a, const Array<T, N, WHOLE> &b) const { \
      NAME<T> of_one; \
      Array<T, N> made; \
      _Pragma("unroll") for (int i = 0; i < N; ++i) made[i] = of_one(a, b[i]); \
      return made; \
    } \
  };
_CUDALINT_OF_TWO(plus, a + b)
_CUDALINT_OF_TWO(minus, a - b)
_CUDALINT_OF_TWO(multiplies, a * b)
_CUDALINT_OF_TWO(divides, a / b)
_CUDALINT_OF_TWO(minimum, b < a ? b : a)
_CUDALINT_OF_TWO(maximum, a < b ? b : a)
#undef _CUDALINT_OF_TWO

#define _CUDALINT_OF_ONE(NAME, VALUE) \
  template <typename T> \
  struct NAME { \
    CUTLASS_HOST_DEVICE T operator()(const T &x) const { return T(VALUE); } \
  }; \
  template <typename T, int N, bool WHOLE> \
  struct NAME<Array<T, N, WHOLE>> { \
    CUTLASS_HOST_DEVICE Array<T, N> operator()(const Array<T, N, WHOLE> &x) const { \
      NAME<T> of_one; \
      Array<T, N> made; \
      _Pragma("unroll") for (int i = 0; i < N; ++i) made[i] = of_one(x[i]); \
      return made; \
    } \
  };
_CUDALINT_OF_ONE(negate, -x)
_CUDALINT_OF_ONE(reciprocal_approximate, 1.0f / float(x))
namespace epilogue {
namespace thread {
_CUDALINT_OF_ONE(Identity, x)
_CUDALINT_OF_ONE(ReLu, x < T(0) ? T(0) : x)
_CUDALINT_OF_ONE(Sigmoid, 1.0f / (1.0f + expf(-float(x))))
_CUDALINT_OF_ONE(SiLu, float(x) / (1.0f + expf(-float(x))))
_CUDALINT_OF_ONE(Tanh, tanhf(float(x)))
_CUDALINT_OF_ONE(GELU, 0.5f * float(x) * (1.0f + erff(float(x) * 0.70710678f)))
_CUDALINT_OF_ONE(
    GELU_taylor,
    0.5f * float(x) * (1.0f + tanhf(0.79788456f * float(x) * (1.0f + 0.044715f * float(x) * float(x)))))
template <typename T>
using ReLU = ReLu<T>;
}  // namespace thread
}  // namespace epilogue
#undef _CUDALINT_OF_ONE

CUTLASS_HOST_DEVICE float fast_min(float a, float b) { return fminf(a, b); }
CUTLASS_HOST_DEVICE float fast_max(float a, float b) { return fmaxf(a, b); }

template <int ROWS, int COLUMNS>
struct MatrixShape {
  static constexpr int kRow = ROWS;
  static constexpr int kColumn = COLUMNS;
  static constexpr int kCount = ROWS * COLUMNS;
};
namespace gemm {
template <int M = 1, int N = 1, int K = 1>
struct GemmShape {
  static constexpr int kM = M;
  static constexpr int kN = N;
  static constexpr int kK = K;
  static constexpr int kMN = M * N;
  static constexpr int kMK = M * K;
  static constexpr int kKN = N * K;
  static constexpr int kMNK = M * N * K;
  static constexpr int kCount = kMNK;
};
}  // namespace gemm

namespace arch {

CUTLASS_DEVICE int LaneId() {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
CUTLASS_DEVICE int WarpId() {
  int warp;
  asm("mov.u32 %0, %%warpid;" : "=r"(warp));
  return warp;
}
CUTLASS_DEVICE int SmId() {
  int sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

CUTLASS_DEVICE void fence_barrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
CUTLASS_DEVICE void fence_view_async_tmem_load() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::); }
CUTLASS_DEVICE void fence_view_async_tmem_store() { asm volatile("tcgen05.wait::st.sync.aligned;" ::); }
CUTLASS_DEVICE void fence_view_async_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
CUTLASS_DEVICE void launch_dependent_grids() { asm volatile("griddepcontrol.launch_dependents;"); }
CUTLASS_DEVICE void wait_on_dependent_grids() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
template <uint32_t COUNT>
CUTLASS_DEVICE void warpgroup_reg_alloc() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT)); }
template <uint32_t COUNT>
CUTLASS_DEVICE void warpgroup_reg_dealloc() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT)); }

// A load or a store of so many bytes, for the threads that a condition lets through.
struct CacheOperation {
  enum Kind { Always, Global, Streaming, LastUse, Volatile, WriteBack, WriteThrough };
};
template <int BYTES>
struct _WordOfBytes;
template <> struct _WordOfBytes<16> { typedef uint4 type; };
template <> struct _WordOfBytes<8> { typedef uint2 type; };
template <> struct _WordOfBytes<4> { typedef unsigned int type; };
template <> struct _WordOfBytes<2> { typedef unsigned short type; };
template <> struct _WordOfBytes<1> { typedef unsigned char type; };
template <typename T, int BYTES, CacheOperation::Kind HOW = CacheOperation::Always>
struct global_load {
  CUTLASS_DEVICE global_load(T &to, const void *from, bool is_read) {
    using Word = typename _WordOfBytes<BYTES>::type;
    if (is_read) reinterpret_cast<Word &>(to) = *reinterpret_cast<const Word *>(from);
  }
};
template <typename T, int BYTES>
struct global_store {
  CUTLASS_DEVICE global_store(const T &from, void *to, bool is_written) {
    using Word = typename _WordOfBytes<BYTES>::type;
    if (is_written) *reinterpret_cast<Word *>(to) = reinterpret_cast<const Word &>(from);
  }
};

// Barriers of parts of a block; eight of them are the library's own.
class NamedBarrier {
  uint32_t const num_threads_;
  uint32_t const id_;

 public:
  CUTLASS_DEVICE NamedBarrier(uint32_t threads, uint32_t id = 0) : num_threads_(threads), id_(id + 8) {}
  CUTLASS_DEVICE void arrive_and_wait() const {
    asm volatile("bar.sync %0, %1;" ::"r"(id_), "r"(num_threads_) : "memory");
  }
  CUTLASS_DEVICE void arrive() const {
    asm volatile("bar.arrive %0, %1;" ::"r"(id_), "r"(num_threads_) : "memory");
  }
  CUTLASS_DEVICE void sync() const { arrive_and_wait(); }
  CUTLASS_DEVICE static void sync(uint32_t threads, uint32_t id) {
    asm volatile("bar.sync %0, %1;" ::"r"(id + 8), "r"(threads) : "memory");
  }
  CUTLASS_DEVICE static void arrive_and_wait(uint32_t threads, uint32_t id) { sync(threads, id); }
  CUTLASS_DEVICE static void arrive(uint32_t threads, uint32_t id) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id + 8), "r"(threads) : "memory");
  }
};

// Barriers in shared memory.
struct ClusterBarrier {
  using ValueType = uint64_t;
  ValueType barrier_;
  CUTLASS_DEVICE static void init(ValueType const *barrier, uint32_t count) {
    uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(count));
  }
  CUTLASS_DEVICE static void wait(ValueType const *barrier, uint32_t phase) {
    uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
    asm volatile("{ .reg .pred P; W: mbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1; @!P bra W; }"
                 ::"r"(at), "r"(phase));
  }
  CUTLASS_DEVICE static bool try_wait(ValueType const *barrier, uint32_t phase) {
    uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
    uint32_t is_over;
    asm volatile("{ .reg .pred P; mbarrier.try_wait.parity.shared::cta.b64 P, [%1], %2; selp.b32 %0, 1, 0, P; }"
                 : "=r"(is_over) : "r"(at), "r"(phase));
    return is_over;
  }
  CUTLASS_DEVICE static void arrive(ValueType const *barrier) {
    uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at));
  }
  CUTLASS_DEVICE void init(uint32_t count) const { init(&barrier_, count); }
  CUTLASS_DEVICE void wait(uint32_t phase) const { wait(&barrier_, phase); }
  CUTLASS_DEVICE bool try_wait(uint32_t phase) const { return try_wait(&barrier_, phase); }
  CUTLASS_DEVICE bool test_wait(uint32_t phase) const { return try_wait(&barrier_, phase); }
  CUTLASS_DEVICE void arrive() const { arrive(&barrier_); }
};
struct ClusterTransactionBarrier : public ClusterBarrier {
  CUTLASS_DEVICE static void arrive_and_expect_tx(ValueType const *barrier, uint32_t bytes) {
    uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes));
  }
  CUTLASS_DEVICE static void expect_transaction(ValueType const *barrier, uint32_t bytes) {
    uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(bytes));
  }
  CUTLASS_DEVICE void arrive_and_expect_tx(uint32_t bytes) const { arrive_and_expect_tx(&barrier_, bytes); }
  CUTLASS_DEVICE void expect_transaction(uint32_t bytes) const { expect_transaction(&barrier_, bytes); }
};

}  // namespace arch
}  // namespace cutlass

namespace cute {

using cutlass::bfloat16_t;
using cutlass::half_t;
using cutlass::sizeof_bits;
using cutlass::sizeof_bits_v;
using cutlass::tfloat32_t;

CUTE_DEVICE uint32_t elect_one_sync() {
  uint32_t is_elected = 0;
  asm volatile("{ .reg .pred P; elect.sync _|P, %1; selp.b32 %0, 1, 0, P; }" : "=r"(is_elected) : "r"(0xffffffff));
  return is_elected;
}
CUTE_DEVICE void cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;"); }
CUTE_DEVICE void cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;"); }
CUTE_DEVICE void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;"); }
CUTE_DEVICE uint32_t block_rank_in_cluster() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
CUTE_DEVICE void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

CUTE_DEVICE void initialize_barrier(uint64_t &barrier, int count = 1) {
  cutlass::arch::ClusterBarrier::init(&barrier, count);
}
CUTE_DEVICE void set_barrier_transaction_bytes(uint64_t &barrier, uint32_t bytes) {
  cutlass::arch::ClusterTransactionBarrier::arrive_and_expect_tx(&barrier, bytes);
}
CUTE_DEVICE void wait_barrier(uint64_t &barrier, int phase) { cutlass::arch::ClusterBarrier::wait(&barrier, phase); }
CUTE_DEVICE void arrive_barrier(uint64_t &barrier) { cutlass::arch::ClusterBarrier::arrive(&barrier); }

CUTE_DEVICE void warpgroup_arrive() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
CUTE_DEVICE void warpgroup_commit_batch() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int COUNT>
CUTE_DEVICE void warpgroup_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(COUNT) : "memory"); }

struct alignas(64) TmaDescriptor { unsigned char bytes[128]; };
CUTE_DEVICE void prefetch_tma_descriptor(const TmaDescriptor *of) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(of) : "memory");
}
CUTE_DEVICE void tma_store_fence() { asm volatile("fence.proxy.async.shared::cta;"); }
CUTE_DEVICE void tma_store_arrive() { asm volatile("cp.async.bulk.commit_group;"); }
template <int COUNT>
CUTE_DEVICE void tma_store_wait() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(COUNT) : "memory"); }
CUTE_DEVICE void cp_async_fence() { asm volatile("cp.async.commit_group;"); }
template <int COUNT>
CUTE_DEVICE void cp_async_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(COUNT)); }

template <typename A, typename B>
constexpr CUTE_HOST_DEVICE auto ceil_div(A a, B b) { return (a + b - 1) / b; }

}  // namespace cute
#endif
