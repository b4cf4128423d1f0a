// `typename X<T>::value{}` and `typename X<T>::type(x)` after operators and in subscripts.
template <class T> struct Made {
  struct value {
    int v = 3;
    __device__ constexpr operator int() const { return 2; }
  };
  using type = int;
};
template <class T> __device__ void touch(float *a, int t) {
  a[t * typename Made<T>::value{}] = 1;
  a[typename Made<T>::value{} * t] = 1;
  a[t + typename Made<T>::type{}] = 1;
  a[typename Made<T>::type(t) * 4] = 1;
  a[typename Made<T>::type(t * 8)] = 1;
  a[(typename Made<T>::type{8}) * t] = 1;
  a[t << typename Made<T>::type{1}] = 1;
  int z = 1 + typename Made<T>::value{} * t;
  a[z] = 1;
  a[t * typename Made<T>::value().v] = 1;
}
//@ launch r57_typename grid=(1) block=(32) args(a=f32[65536])
__global__ void r57_typename(float *a) { touch<float>(a, threadIdx.x); }
