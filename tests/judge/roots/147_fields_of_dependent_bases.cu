// In a class template an unqualified name is no member of a base that depends on template parameters: what has that name
// around the class is meant, a field's name as well.
template <class T>
struct R147B {
  int r147_v = 2;
  static constexpr int r147_w = 4;
  int r147_z = 1;
};
static constexpr int r147_v = 7;
constexpr int r147_w = 3;
const int r147_z = 6;
template <class T>
struct R147D : R147B<T> {
  __device__ int around() { return r147_v; }
  __device__ int constant() { return r147_w; }
  __device__ int sum() {
    int r147_z = 1;
    return r147_z + r147_v;
  }
  __device__ int plain() { return r147_z; }
  __device__ int lambda() const {
    auto f = [this] { return r147_v; };
    return f();
  }
  __device__ int own() { return this->r147_v + R147D::r147_z; }
};
template <class T>
struct R147E : R147D<T> {
  __device__ int second() { return r147_v; }
};
template <class T>
struct R147F : R147B<int> {
  __device__ int told() { return r147_v; }
};
template <class T>
struct R147O {
  struct In : R147B<T> {
    __device__ int around() { return r147_v; }
  };
};
//@ launch r147_fields grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r147_fields(float *a, int n) {
  int t = threadIdx.x;
  R147D<int> d;
  a[t * d.around()] = 1;
  a[t * d.constant()] = 1;
  a[t * d.sum()] = 1;
  a[t * d.plain()] = 1;
  a[t * d.lambda()] = 1;
  a[t * d.own()] = 1;
  a[t * d.r147_v] = 1;
  R147E<int> e;
  a[t * e.second()] = 1;
  R147F<int> f;
  a[t * f.told()] = 1;
  R147O<int>::In o;
  a[t * o.around()] = 1;
}
