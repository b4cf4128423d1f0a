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
__host__ __device__ inline int divUp(int total, int grain) { return (total + grain - 1) / grain; }
}  // namespace device
}  // namespace cuda
}  // namespace cv
