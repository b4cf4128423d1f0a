// A constant that is handed to a constructor is an object: `T &` deduces `const int` of it.
template <class T> struct Kind { static constexpr int v = 1; };
template <class T> struct Kind<const T> { static constexpr int v = 2; };
template <class T> struct Kind<T &> { static constexpr int v = 4; };
template <class T> struct Kind<const T &> { static constexpr int v = 8; };
struct ByValue {
  int v;
  template <class T> __device__ ByValue(T) : v(Kind<T>::v) {}
};
struct ByReference {
  int v;
  template <class T> __device__ ByReference(T &) : v(Kind<T>::v) {}
};
struct Forwarded {
  int v;
  template <class T> __device__ Forwarded(T &&) : v(Kind<T>::v) {}
};
struct Overloaded {
  int v;
  __device__ Overloaded(int &) : v(1) {}
  __device__ Overloaded(const int &) : v(2) {}
};
struct Part {
  static constexpr int n = 3;
  ByReference own;
  __device__ Part(const int &m) : own(m) {}
};
struct Derived : ByReference {
  __device__ Derived(const int m) : ByReference(m) {}
};
//@ launch r57_constants grid=(1) block=(32) args(a=f32[65536], n=?6)
__global__ void r57_constants(float *a, const int n) {
  int t = threadIdx.x, z = 3;
  const int q = 3;
  constexpr int c = 4;
  static const int s = 5;
  ByValue b1(q);
  a[t * b1.v] = 1;
  ByReference r1(q), r2(z), r3(c), r4{q}, r5(s), r6(n);
  a[t * r1.v] = 1;
  a[t * r2.v] = 1;
  a[t * r3.v] = 1;
  a[t * r4.v] = 1;
  a[t * r5.v] = 1;
  a[t * r6.v] = 1;
  a[t * ByReference(q).v] = 1;
  a[t * ByReference{q}.v] = 1;
  Forwarded f1(q), f2(z), f3(3), f4{c};
  a[t * f1.v] = 1;
  a[t * f2.v] = 1;
  a[t * f3.v] = 1;
  a[t * f4.v] = 1;
  Overloaded o1(q), o2(z), o3{c};
  a[t * o1.v] = 1;
  a[t * o2.v] = 1;
  a[t * o3.v] = 1;
  Part p(q);
  a[t * p.own.v] = 1;
  Derived d(q);
  a[t * d.v] = 1;
}
