// What device code holds of PyTorch: accessors of tensors, atomics, macros of kernels. Halves and the types
// that sums are taken in are known by name.
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
