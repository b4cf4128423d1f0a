// The assignment that a class has without declaring it, beside those that it declares.
struct Doubled {
  int v;
  __device__ Doubled &operator=(int x) { v = x * 2; return *this; }
  __device__ operator int() const { return v; }
};
struct Taking {
  int v;
  template <class T> __device__ Taking &operator=(const T &x) { v = x.v * 2; return *this; }
};
struct Counted {
  int v = 1;
  Counted() = default;
  __device__ Counted(int v) : v(v) {}
  __device__ Counted &operator=(const Counted &o) { v = o.v + 3; return *this; }
  __device__ Counted &operator=(int x) { v = x * 5; return *this; }
};
struct Derived : Counted {
  Derived() = default;
  __device__ Derived(int v) : Counted(v) {}
};
struct Holder {
  Counted c;
  int q;
};
struct Element {
  float *p;
  int i;
  __device__ Element &operator=(float v) { p[i] = v; return *this; }
  __device__ operator float() const { return p[i * 2]; }
};
struct Row {
  float *p;
  __device__ Element operator[](int i) { return Element{p, i * 3}; }
};
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  Doubled p{3}, q{5};
  p = q;
  a[t * p.v] = 1;
  p = 3;
  a[t * p.v] = 1;
  Taking x{3}, y{4};
  x = y;
  a[t * x.v] = 1;
  Holder m{5, 2}, n{3, 1};
  m = n;
  a[t * m.c.v] = 1;
  Derived d(2);
  d = 3;
  a[t * d.v] = 1;
  Counted c(2), e(4);
  c = e;
  a[t * c.v] = 1;
  c = 1;
  a[t * c.v] = 1;
  Row r{a};
  r[t] = r[t + 1];
  r[t] = 2.f;
}
