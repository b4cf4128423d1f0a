// What device code holds of PyTorch: accessors of tensors, atomics, macros of kernels. Halves and the types
// that sums are taken in are known by name.
#include <tuple>
#ifndef C10_HOST_DEVICE
#define C10_HOST_DEVICE __host__ __device__
#endif
#ifndef C10_DEVICE
#define C10_DEVICE __device__
#endif
#ifndef C10_HOST
#define C10_HOST __host__
#endif
#ifndef GPU_LAMBDA
#define GPU_LAMBDA __host__ __device__
#endif
#ifndef C10_LAUNCH_BOUNDS_0
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__((threads), (blocks))
#endif
#ifndef C10_WARP_SIZE
#define C10_WARP_SIZE 32
#endif
#ifndef CUDA_KERNEL_ASSERT
#define CUDA_KERNEL_ASSERT(condition) ((void)0)
#endif
#ifndef C10_CUDA_KERNEL_LAUNCH_CHECK
#define C10_CUDA_KERNEL_LAUNCH_CHECK() ((void)0)
#endif
#ifndef CUDA_KERNEL_LOOP
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type) \
  int64_t _i_n_d_e_x = ((int64_t)blockIdx.x) * blockDim.x + threadIdx.x; \
  for (index_type i = _i_n_d_e_x; _i_n_d_e_x < (n); \
       _i_n_d_e_x += blockDim.x * gridDim.x, i = _i_n_d_e_x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#endif

namespace at {

// The type in which a number of a type is computed with.
template <typename T>
struct OpMathType {
  using type = T;
};
template <>
struct OpMathType<at::Half> {
  using type = float;
};
template <>
struct OpMathType<at::BFloat16> {
  using type = float;
};
template <typename T>
using opmath_type = typename OpMathType<T>::type;

template <typename T>
struct DefaultPtrTraits {
  typedef T *PtrType;
};

template <typename T>
struct RestrictPtrTraits {
  typedef T *__restrict__ PtrType;
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class TensorAccessorBase {
 public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  __host__ __device__ TensorAccessorBase(PtrType data, const index_t *sizes, const index_t *strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
  __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
  __host__ __device__ PtrType data() { return data_; }
  __host__ __device__ const PtrType data() const { return data_; }

 protected:
  PtrType data_;
  const index_t *sizes_;
  const index_t *strides_;
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class TensorAccessor : public TensorAccessorBase<T, N, PtrTraits, index_t> {
 public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  __host__ __device__ TensorAccessor(PtrType data, const index_t *sizes, const index_t *strides)
      : TensorAccessorBase<T, N, PtrTraits, index_t>(data, sizes, strides) {}
  __host__ __device__ TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) {
    return TensorAccessor<T, N - 1, PtrTraits, index_t>(this->data_ + this->strides_[0] * i, this->sizes_ + 1,
                                                        this->strides_ + 1);
  }
  __host__ __device__ const TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
    return TensorAccessor<T, N - 1, PtrTraits, index_t>(this->data_ + this->strides_[0] * i, this->sizes_ + 1,
                                                        this->strides_ + 1);
  }
};

template <typename T, template <typename U> class PtrTraits, typename index_t>
class TensorAccessor<T, 1, PtrTraits, index_t> : public TensorAccessorBase<T, 1, PtrTraits, index_t> {
 public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  __host__ __device__ TensorAccessor(PtrType data, const index_t *sizes, const index_t *strides)
      : TensorAccessorBase<T, 1, PtrTraits, index_t>(data, sizes, strides) {}
  __host__ __device__ T &operator[](index_t i) { return this->data_[this->strides_[0] * i]; }
  __host__ __device__ const T &operator[](index_t i) const { return this->data_[this->strides_[0] * i]; }
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class GenericPackedTensorAccessorBase {
 public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
  __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
  __host__ __device__ PtrType data() { return data_; }
  __host__ __device__ const PtrType data() const { return data_; }

 protected:
  PtrType data_;
  index_t sizes_[N];
  index_t strides_[N];
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class GenericPackedTensorAccessor : public GenericPackedTensorAccessorBase<T, N, PtrTraits, index_t> {
 public:
  __device__ TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) {
    return TensorAccessor<T, N - 1, PtrTraits, index_t>(this->data_ + this->strides_[0] * i, this->sizes_ + 1,
                                                        this->strides_ + 1);
  }
  __device__ const TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
    return TensorAccessor<T, N - 1, PtrTraits, index_t>(this->data_ + this->strides_[0] * i, this->sizes_ + 1,
                                                        this->strides_ + 1);
  }
};

template <typename T, template <typename U> class PtrTraits, typename index_t>
class GenericPackedTensorAccessor<T, 1, PtrTraits, index_t>
    : public GenericPackedTensorAccessorBase<T, 1, PtrTraits, index_t> {
 public:
  __device__ T &operator[](index_t i) { return this->data_[this->strides_[0] * i]; }
  __device__ const T &operator[](index_t i) const { return this->data_[this->strides_[0] * i]; }
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;

}  // namespace at

namespace torch {
using namespace at;
}  // namespace torch

__device__ inline int32_t gpuAtomicAdd(int32_t *address, int32_t value) { return atomicAdd(address, value); }
__device__ inline float gpuAtomicAdd(float *address, float value) { return atomicAdd(address, value); }
__device__ inline double gpuAtomicAdd(double *address, double value) { return atomicAdd(address, value); }
__device__ inline void gpuAtomicAdd(int64_t *address, int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long *>(address), (unsigned long long)value);
}
__device__ inline void gpuAtomicAddNoReturn(int32_t *address, int32_t value) { gpuAtomicAdd(address, value); }
__device__ inline void gpuAtomicAddNoReturn(int64_t *address, int64_t value) { gpuAtomicAdd(address, value); }
__device__ inline void gpuAtomicAddNoReturn(float *address, float value) { gpuAtomicAdd(address, value); }
__device__ inline void gpuAtomicAddNoReturn(double *address, double value) { gpuAtomicAdd(address, value); }
#if __CUDA_ARCH__ >= 700
__device__ inline c10::Half gpuAtomicAdd(c10::Half *address, c10::Half value) {
  return atomicAdd(reinterpret_cast<__half *>(address), (__half)value);
}
__device__ inline void gpuAtomicAddNoReturn(c10::Half *address, c10::Half value) { gpuAtomicAdd(address, value); }
#endif
#if __CUDA_ARCH__ >= 800
__device__ inline c10::BFloat16 gpuAtomicAdd(c10::BFloat16 *address, c10::BFloat16 value) {
  return atomicAdd(reinterpret_cast<__nv_bfloat16 *>(address), (__nv_bfloat16)value);
}
__device__ inline void gpuAtomicAddNoReturn(c10::BFloat16 *address, c10::BFloat16 value) {
  gpuAtomicAdd(address, value);
}
#endif

// The type of a tensor's elements, and the macros by which a project's own macros run a lambda for each of some.
namespace c10 {
enum class ScalarType : signed char {
  Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool, QInt8,
  QUInt8, QInt32, BFloat16, QUInt4x2, QUInt2x4, Bits1x8, Bits2x4, Bits4x2, Bits8, Bits16, Float8_e5m2,
  Float8_e4m3fn, Float8_e5m2fnuz, Float8_e4m3fnuz, UInt16, UInt32, UInt64
};
constexpr ScalarType kByte = ScalarType::Byte;
constexpr ScalarType kChar = ScalarType::Char;
constexpr ScalarType kShort = ScalarType::Short;
constexpr ScalarType kInt = ScalarType::Int;
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kHalf = ScalarType::Half;
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double;
constexpr ScalarType kComplexFloat = ScalarType::ComplexFloat;
constexpr ScalarType kComplexDouble = ScalarType::ComplexDouble;
constexpr ScalarType kBool = ScalarType::Bool;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
constexpr ScalarType kFloat8_e5m2 = ScalarType::Float8_e5m2;
constexpr ScalarType kFloat8_e4m3fn = ScalarType::Float8_e4m3fn;
constexpr ScalarType kFloat8_e5m2fnuz = ScalarType::Float8_e5m2fnuz;
constexpr ScalarType kFloat8_e4m3fnuz = ScalarType::Float8_e4m3fnuz;
constexpr ScalarType kUInt16 = ScalarType::UInt16;
constexpr ScalarType kUInt32 = ScalarType::UInt32;
constexpr ScalarType kUInt64 = ScalarType::UInt64;
struct alignas(1) Float8_e5m2 {
  unsigned char x;
};
struct alignas(1) Float8_e4m3fn {
  unsigned char x;
};
struct alignas(1) Float8_e5m2fnuz {
  unsigned char x;
};
struct alignas(1) Float8_e4m3fnuz {
  unsigned char x;
};
namespace impl {
template <ScalarType N>
struct ScalarTypeToCPPType;
template <> struct ScalarTypeToCPPType<ScalarType::Byte> { using type = unsigned char; };
template <> struct ScalarTypeToCPPType<ScalarType::Char> { using type = signed char; };
template <> struct ScalarTypeToCPPType<ScalarType::Short> { using type = short; };
template <> struct ScalarTypeToCPPType<ScalarType::Int> { using type = int; };
template <> struct ScalarTypeToCPPType<ScalarType::Long> { using type = int64_t; };
template <> struct ScalarTypeToCPPType<ScalarType::Half> { using type = c10::Half; };
template <> struct ScalarTypeToCPPType<ScalarType::Float> { using type = float; };
template <> struct ScalarTypeToCPPType<ScalarType::Double> { using type = double; };
template <> struct ScalarTypeToCPPType<ScalarType::ComplexFloat> { using type = c10::complex<float>; };
template <> struct ScalarTypeToCPPType<ScalarType::ComplexDouble> { using type = c10::complex<double>; };
template <> struct ScalarTypeToCPPType<ScalarType::Bool> { using type = bool; };
template <> struct ScalarTypeToCPPType<ScalarType::BFloat16> { using type = c10::BFloat16; };
template <> struct ScalarTypeToCPPType<ScalarType::Float8_e5m2> { using type = c10::Float8_e5m2; };
template <> struct ScalarTypeToCPPType<ScalarType::Float8_e4m3fn> { using type = c10::Float8_e4m3fn; };
template <> struct ScalarTypeToCPPType<ScalarType::Float8_e5m2fnuz> { using type = c10::Float8_e5m2fnuz; };
template <> struct ScalarTypeToCPPType<ScalarType::Float8_e4m3fnuz> { using type = c10::Float8_e4m3fnuz; };
template <> struct ScalarTypeToCPPType<ScalarType::UInt16> { using type = unsigned short; };
template <> struct ScalarTypeToCPPType<ScalarType::UInt32> { using type = unsigned int; };
template <> struct ScalarTypeToCPPType<ScalarType::UInt64> { using type = uint64_t; };
template <ScalarType N>
using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<N>::type;
}  // namespace impl
}  // namespace c10
namespace at {
using namespace c10;
}
namespace torch {
using namespace c10;
}
#ifndef AT_DISPATCH_SWITCH
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...) \
  [&] { \
    switch (TYPE) { \
      __VA_ARGS__ \
      default: \
        throw NAME; \
    } \
  }()
#define AT_PRIVATE_CASE_TYPE_USING_HINT(TYPE, HINT, ...) \
  case TYPE: { \
    using HINT = c10::impl::ScalarTypeToCPPTypeT<TYPE>; \
    return __VA_ARGS__(); \
  }
#define AT_DISPATCH_CASE(TYPE, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(TYPE, scalar_t, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) \
  AT_DISPATCH_CASE(c10::ScalarType::Double, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Half, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND(A, ...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) \
  AT_DISPATCH_CASE(A, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND2(A, B, ...) \
  AT_DISPATCH_CASE_FLOATING_TYPES_AND(A, __VA_ARGS__) \
  AT_DISPATCH_CASE(B, __VA_ARGS__)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...) \
  AT_DISPATCH_CASE(c10::ScalarType::Half, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::BFloat16, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...) \
  AT_DISPATCH_CASE(c10::ScalarType::Byte, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Char, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Int, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Long, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...) \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND(A, ...) \
  AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) \
  AT_DISPATCH_CASE(A, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND2(A, B, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND(A, __VA_ARGS__) \
  AT_DISPATCH_CASE(B, __VA_ARGS__)
// A lambda with commas, and lists of types.
#define AT_WRAP(...) __VA_ARGS__
#define AT_EXPAND(X) X
#define AT_FLOATING_TYPES c10::ScalarType::Double, c10::ScalarType::Float
#define AT_INTEGRAL_TYPES \
  c10::ScalarType::Byte, c10::ScalarType::Char, c10::ScalarType::Int, c10::ScalarType::Long, c10::ScalarType::Short
#define AT_BAREBONES_UNSIGNED_TYPES c10::ScalarType::UInt16, c10::ScalarType::UInt32, c10::ScalarType::UInt64
#define AT_INTEGRAL_TYPES_V2 AT_INTEGRAL_TYPES, AT_BAREBONES_UNSIGNED_TYPES
#define AT_ALL_TYPES AT_INTEGRAL_TYPES, AT_FLOATING_TYPES
#define AT_COMPLEX_TYPES c10::ScalarType::ComplexDouble, c10::ScalarType::ComplexFloat
#define AT_ALL_TYPES_AND_COMPLEX AT_ALL_TYPES, AT_COMPLEX_TYPES
#define AT_FLOATING_AND_COMPLEX_TYPES AT_FLOATING_TYPES, AT_COMPLEX_TYPES
#define _CUDALINT_CASES_AT(N1, N2, N3, N4, N5, N6, N7, N8, N9, N10, N11, N12, N13, N14, N15, N16, N17, N18, N19, N20, N21, N22, N23, N24, N, ...) N
#define _CUDALINT_CASES_OF(...) _CUDALINT_CASES_AT(__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
#define _CUDALINT_JOIN_AS(A, B) A##B
#define _CUDALINT_JOIN(A, B) _CUDALINT_JOIN_AS(A, B)
#define _CUDALINT_CASES_1(BODY, T1) \
  AT_DISPATCH_CASE(T1, BODY)
#define _CUDALINT_CASES_2(BODY, T1, T2) \
  _CUDALINT_CASES_1(AT_WRAP(BODY), T1) AT_DISPATCH_CASE(T2, BODY)
#define _CUDALINT_CASES_3(BODY, T1, T2, T3) \
  _CUDALINT_CASES_2(AT_WRAP(BODY), T1, T2) AT_DISPATCH_CASE(T3, BODY)
#define _CUDALINT_CASES_4(BODY, T1, T2, T3, T4) \
  _CUDALINT_CASES_3(AT_WRAP(BODY), T1, T2, T3) AT_DISPATCH_CASE(T4, BODY)
#define _CUDALINT_CASES_5(BODY, T1, T2, T3, T4, T5) \
  _CUDALINT_CASES_4(AT_WRAP(BODY), T1, T2, T3, T4) AT_DISPATCH_CASE(T5, BODY)
#define _CUDALINT_CASES_6(BODY, T1, T2, T3, T4, T5, T6) \
  _CUDALINT_CASES_5(AT_WRAP(BODY), T1, T2, T3, T4, T5) AT_DISPATCH_CASE(T6, BODY)
#define _CUDALINT_CASES_7(BODY, T1, T2, T3, T4, T5, T6, T7) \
  _CUDALINT_CASES_6(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6) AT_DISPATCH_CASE(T7, BODY)
#define _CUDALINT_CASES_8(BODY, T1, T2, T3, T4, T5, T6, T7, T8) \
  _CUDALINT_CASES_7(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7) AT_DISPATCH_CASE(T8, BODY)
#define _CUDALINT_CASES_9(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9) \
  _CUDALINT_CASES_8(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8) AT_DISPATCH_CASE(T9, BODY)
#define _CUDALINT_CASES_10(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10) \
  _CUDALINT_CASES_9(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9) AT_DISPATCH_CASE(T10, BODY)
#define _CUDALINT_CASES_11(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11) \
  _CUDALINT_CASES_10(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10) AT_DISPATCH_CASE(T11, BODY)
#define _CUDALINT_CASES_12(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12) \
  _CUDALINT_CASES_11(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11) AT_DISPATCH_CASE(T12, BODY)
#define _CUDALINT_CASES_13(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13) \
  _CUDALINT_CASES_12(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12) AT_DISPATCH_CASE(T13, BODY)
#define _CUDALINT_CASES_14(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14) \
  _CUDALINT_CASES_13(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13) AT_DISPATCH_CASE(T14, BODY)
#define _CUDALINT_CASES_15(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15) \
  _CUDALINT_CASES_14(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14) AT_DISPATCH_CASE(T15, BODY)
#define _CUDALINT_CASES_16(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16) \
  _CUDALINT_CASES_15(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15) AT_DISPATCH_CASE(T16, BODY)
#define _CUDALINT_CASES_17(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17) \
  _CUDALINT_CASES_16(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16) AT_DISPATCH_CASE(T17, BODY)
#define _CUDALINT_CASES_18(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18) \
  _CUDALINT_CASES_17(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17) AT_DISPATCH_CASE(T18, BODY)
#define _CUDALINT_CASES_19(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19) \
  _CUDALINT_CASES_18(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18) AT_DISPATCH_CASE(T19, BODY)
#define _CUDALINT_CASES_20(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20) \
  _CUDALINT_CASES_19(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19) AT_DISPATCH_CASE(T20, BODY)
#define _CUDALINT_CASES_21(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21) \
  _CUDALINT_CASES_20(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20) AT_DISPATCH_CASE(T21, BODY)
#define _CUDALINT_CASES_22(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21, T22) \
  _CUDALINT_CASES_21(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21) AT_DISPATCH_CASE(T22, BODY)
#define _CUDALINT_CASES_23(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21, T22, T23) \
  _CUDALINT_CASES_22(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21, T22) AT_DISPATCH_CASE(T23, BODY)
#define _CUDALINT_CASES_24(BODY, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21, T22, T23, T24) \
  _CUDALINT_CASES_23(AT_WRAP(BODY), T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21, T22, T23) AT_DISPATCH_CASE(T24, BODY)
#define _CUDALINT_CASES(BODY, ...) \
  AT_EXPAND(_CUDALINT_JOIN(_CUDALINT_CASES_, _CUDALINT_CASES_OF(__VA_ARGS__))(AT_WRAP(BODY), __VA_ARGS__))
#define AT_DISPATCH_V2(TYPE, NAME, BODY, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, _CUDALINT_CASES(AT_WRAP(BODY), __VA_ARGS__))
#endif
