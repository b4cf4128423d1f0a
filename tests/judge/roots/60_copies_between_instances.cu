// A constructor that takes another instance of its template copies no object of its own class.
template <typename T> struct r60_Bare { using type = T; };
template <typename T> struct r60_Bare<const T> { using type = T; };
template <typename T>
struct r60_View {
  T *data;
  int stride;
  __device__ r60_View(T *data, int stride) : data(data), stride(stride) {}
  __device__ r60_View(const r60_View<typename r60_Bare<T>::type> &other) : data(other.data), stride(other.stride * 2) {}
};
template <typename T>
struct r60_Any {
  int v;
  __device__ r60_Any(int v) : v(v) {}
  template <typename U> __device__ r60_Any(const r60_Any<U> &other) : v(other.v + 4) {}
};
__device__ float r60_first(r60_View<const float> v, int i) { return v.data[i * v.stride]; }
__device__ int r60_number(r60_Any<int> a) { return a.v; }
//@ launch r60_copies_between_instances grid=(2) block=(64) args(a=f32[65536], b=f32[65536])
__global__ void r60_copies_between_instances(float *a, const float *b) {
  int t = threadIdx.x;
  r60_View<const float> v(b, 3);
  a[t] = r60_first(v, t);
  r60_View<const float> w = v;
  a[t * w.stride] = 1;
  r60_View<float> plain(a, 2);
  a[t] = r60_first(plain, t);
  r60_Any<int> x(1), y(x);
  a[t * y.v] = 1;
  const r60_Any<long> z(2);
  a[t * r60_number(z)] = 1;
  a[t * r60_number(y)] = 1;
}
