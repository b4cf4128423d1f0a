// Which template is the more special one: references and what is const as a whole do not count; what specialises a
// member is meant where its arguments are deduced, too; kinds of template arguments are not taken for each other.
template <class T> __device__ int pick228(T) { return 2; }
template <class... Q> __device__ int pick228(const Q &...) { return 3; }
template <class T> struct Box228 {
  T t;
};
template <class T> __device__ int box228(const Box228<T> &) { return 1; }
template <class T> __device__ int box228(Box228<const T>) { return 4; }
struct Plain228 {
  template <class U> __device__ int g(U) { return 2; }
};
template <> __device__ int Plain228::g(char) { return 5; }
template <class T> struct Outer228 {
  template <class U> struct In {
    static constexpr int v = 5;
  };
};
template <> template <class U> struct Outer228<short>::In {
  static constexpr int v = 7;
};
template <int N> struct Int228 {};
template <class X> struct Kind228 {
  static constexpr int v = 1;
};
template <class T, template <class> class C> struct Kind228<C<T>> {
  static constexpr int v = 3;
};
template <class T> __device__ int dot228(T x) { return 2; }
template <class A, class T> __device__ int dot228(T x) { return 6; }
//@ launch r228_more_special grid=(2) block=(48) args(a=f32[65536])
__global__ void r228_more_special(float *a) {
  int t = threadIdx.x;
  a[t * pick228(1)] = 1;
  Box228<const int> b{3};
  a[t * box228(b) + 1] = 1;
  a[t * Plain228().g('c') + 2] = 1;
  a[t * Outer228<short>::In<char>::v + 3] = 1;
  a[t * Kind228<Int228<4>>::v + 4] = 1;
  a[t * dot228<int, int>(1) + 5] = 1;
}
