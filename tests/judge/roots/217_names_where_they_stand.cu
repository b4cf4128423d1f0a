// A name means what was declared before it, in the first scope that has it at all: what a namespace declares later, what
// a dependent base has, and what lies behind a class's own member of another kind or without a known value is none of it.
constexpr int q217 = 3;
struct W217 { int x; };
__device__ inline int f217(int x) { return x * 3; }
enum class Q217 { v = 3 };
namespace inner217 {
__device__ inline int early(int i) { return i * q217 * (int)sizeof(W217); }
struct W217 { int x[5]; };
constexpr int q217 = 5;
}
namespace args217 {
struct A { int x; };
__device__ inline int g217(A) { return 2; }
}
template <class T> struct Hold217 { __device__ int g217(T) { return 4; } };
template <class T> struct User217 : Hold217<T> { __device__ int go(T o) { return g217(o); } };
struct Twice217 { __device__ int operator()(int x) const { return x * 2; } __device__ constexpr operator int() const { return 2; } };
namespace object217 {
constexpr Twice217 f217{};
__device__ inline int go(int x) { return f217(x); }
}
struct Own217 {
  static constexpr int q217 = noexcept(1) + 1;
  struct Q217 { static constexpr int v = 2; };
  __device__ static int go(int x) { return q217 * x; }
  __device__ static int by(int x) { return (int)Q217::v * x; }
};
struct Late217 {
  struct Q217;
  __device__ static int go(int x);
};
struct Late217::Q217 { static constexpr int v = 2; };
__device__ int Late217::go(int x) { return Q217::v * x; }
//@ launch r217_names_where_they_stand grid=(1) block=(64) args(a=i32[65536])
__global__ void r217_names_where_they_stand(int *a) {
  int t = threadIdx.x;
  a[inner217::early(t)] = 1;
  a[t * User217<args217::A>().go(args217::A{1})] = 1;
  a[object217::go(t)] = 1;
  a[Own217::go(t)] = 1;
  a[Own217::by(t)] = 1;
  a[Late217::go(t)] = 1;
}
