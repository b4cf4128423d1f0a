// A result type that parameters decide, and a template parameter that is a template by default.
template <class U, class V> constexpr __host__ __device__ auto ceil_div(U a, V b) -> decltype(a + b) {
  return (a + b - 1) / b;
}
template <class T> struct PlainPointer {
  typedef T *Type;
};
template <class T, template <class> class Traits = PlainPointer> struct Rows {
  typedef typename Traits<T>::Type Pointer;
  Pointer data;
  int pitch;
  __device__ Pointer row(int i) { return data + i * pitch; }
};
//@ launch r51_result_by_decltype grid=(2) block=(256) args(a=f32[65536])
__global__ void r51_result_by_decltype(float *a) {
  int lane = threadIdx.x & 31;
  if (lane < ceil_div(blockDim.x, 32)) a[lane * 2] = 1;
  Rows<float> rows{a, 3};
  rows.row(lane)[1] = 2;
}
