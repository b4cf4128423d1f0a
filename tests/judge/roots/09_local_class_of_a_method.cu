// A local class of a member template has another layout for each argument.
//@ launch r09_local_class_of_a_method grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
template <class T>
struct Writer {
  T t;
  template <int N>
  __device__ void put(T *p) {
    struct Row {
      T x[N];
    };
    ((Row *)p)[threadIdx.x].x[0] = t;
  }
};
__global__ void r09_local_class_of_a_method(float *a, const int *d, int n, int m) {
  Writer<float> w;
  w.t = n;
  w.put<1>(a);
  w.put<8>(a + 1024);
  w.put<2>(a + 2048);
}
