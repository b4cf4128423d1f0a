// What device code holds of OpenCV's CUDA images: a pointer to rows that lie a step of bytes apart.
typedef unsigned char uchar;
typedef signed char schar;
typedef unsigned short ushort;
typedef unsigned int uint;

namespace cv {
namespace cuda {

template <typename T>
struct DevPtr {
  typedef T elem_type;
  typedef int index_type;
  enum { elem_size = sizeof(elem_type) };
  T *data;
  __host__ __device__ DevPtr() : data(0) {}
  __host__ __device__ DevPtr(T *data_) : data(data_) {}
  __host__ __device__ size_t elemSize() const { return elem_size; }
  __host__ __device__ operator T *() { return data; }
  __host__ __device__ operator const T *() const { return data; }
};

template <typename T>
struct PtrSz : public DevPtr<T> {
  __host__ __device__ PtrSz() : size(0) {}
  __host__ __device__ PtrSz(T *data_, size_t size_) : DevPtr<T>(data_), size(size_) {}
  size_t size;
};

template <typename T>
struct PtrStep : public DevPtr<T> {
  __host__ __device__ PtrStep() : step(0) {}
  __host__ __device__ PtrStep(T *data_, size_t step_) : DevPtr<T>(data_), step(step_) {}
  size_t step;
  __host__ __device__ T *ptr(int y = 0) { return (T *)((char *)(this->data) + y * step); }
  __host__ __device__ const T *ptr(int y = 0) const { return (const T *)((const char *)(this->data) + y * step); }
  __host__ __device__ T &operator()(int y, int x) { return ptr(y)[x]; }
  __host__ __device__ const T &operator()(int y, int x) const { return ptr(y)[x]; }
};

template <typename T>
struct PtrStepSz : public PtrStep<T> {
  __host__ __device__ PtrStepSz() : cols(0), rows(0) {}
  __host__ __device__ PtrStepSz(int rows_, int cols_, T *data_, size_t step_)
      : PtrStep<T>(data_, step_), cols(cols_), rows(rows_) {}
  template <typename U>
  explicit PtrStepSz(const PtrStepSz<U> &d) : PtrStep<T>((T *)d.data, d.step), cols(d.cols), rows(d.rows) {}
  int cols;
  int rows;
};

typedef PtrStepSz<unsigned char> PtrStepSzb;
typedef PtrStepSz<unsigned short> PtrStepSzus;
typedef PtrStepSz<float> PtrStepSzf;
typedef PtrStepSz<int> PtrStepSzi;
typedef PtrStep<unsigned char> PtrStepb;
typedef PtrStep<unsigned short> PtrStepus;
typedef PtrStep<float> PtrStepf;
typedef PtrStep<int> PtrStepi;

namespace device {
// Vectors of so many elements, and what they are made of.
template <typename T, int N>
struct TypeVec;
template <typename T>
struct VecTraits;
#define _CUDALINT_VECTORS(T, V) \
  template <> struct TypeVec<T, 1> { typedef T vec_type; }; \
  template <> struct VecTraits<T> { \
    typedef T elem_type; \
    enum { cn = 1 }; \
    static __host__ __device__ T all(T v) { return v; } \
    static __host__ __device__ T make(T x) { return x; } \
    static __host__ __device__ T make(const T *v) { return *v; } \
  }; \
  template <> struct TypeVec<T, 2> { typedef V##2 vec_type; }; \
  template <> struct VecTraits<V##2> { \
    typedef T elem_type; \
    enum { cn = 2 }; \
    static __host__ __device__ V##2 all(T v) { return make_##V##2(v, v); } \
    static __host__ __device__ V##2 make(T x, T y) { return make_##V##2(x, y); } \
    static __host__ __device__ V##2 make(const T *v) { return make_##V##2(v[0], v[1]); } \
  }; \
  template <> struct TypeVec<T, 3> { typedef V##3 vec_type; }; \
  template <> struct VecTraits<V##3> { \
    typedef T elem_type; \
    enum { cn = 3 }; \
    static __host__ __device__ V##3 all(T v) { return make_##V##3(v, v, v); } \
    static __host__ __device__ V##3 make(T x, T y, T z) { return make_##V##3(x, y, z); } \
    static __host__ __device__ V##3 make(const T *v) { return make_##V##3(v[0], v[1], v[2]); } \
  }; \
  template <> struct TypeVec<T, 4> { typedef V##4 vec_type; }; \
  template <> struct VecTraits<V##4> { \
    typedef T elem_type; \
    enum { cn = 4 }; \
    static __host__ __device__ V##4 all(T v) { return make_##V##4(v, v, v, v); } \
    static __host__ __device__ V##4 make(T x, T y, T z, T w) { return make_##V##4(x, y, z, w); } \
    static __host__ __device__ V##4 make(const T *v) { return make_##V##4(v[0], v[1], v[2], v[3]); } \
  };
_CUDALINT_VECTORS(unsigned char, uchar)
_CUDALINT_VECTORS(signed char, char)
_CUDALINT_VECTORS(unsigned short, ushort)
_CUDALINT_VECTORS(short, short)
_CUDALINT_VECTORS(int, int)
_CUDALINT_VECTORS(unsigned int, uint)
_CUDALINT_VECTORS(float, float)
_CUDALINT_VECTORS(double, double)
#undef _CUDALINT_VECTORS
__host__ __device__ inline int divUp(int total, int grain) { return (total + grain - 1) / grain; }
}  // namespace device
}  // namespace cuda
}  // namespace cv
