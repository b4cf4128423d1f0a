// The small classes of the toolkit's own standard library, which Thrust gives on: as `standard.cuh`.
#define _CUDALINT_FN __device__ inline constexpr
namespace cuda {
namespace std {

template <typename A, typename B>
struct pair {
  typedef A first_type;
  typedef B second_type;
  A first;
  B second;
  _CUDALINT_FN pair() : first(), second() {}
  template <typename U, typename V>
  _CUDALINT_FN pair(const U &a, const V &b) : first(a), second(b) {}
  template <typename U, typename V>
  _CUDALINT_FN pair(const pair<U, V> &other) : first(other.first), second(other.second) {}
};
template <typename A, typename B>
_CUDALINT_FN pair<::std::decay_t<A>, ::std::decay_t<B>> make_pair(A &&a, B &&b) {
  return pair<::std::decay_t<A>, ::std::decay_t<B>>(a, b);
}
template <size_t I, typename A, typename B>
_CUDALINT_FN auto &get(pair<A, B> &p) {
  if constexpr (I == 0)
    return p.first;
  else
    return p.second;
}
template <size_t I, typename A, typename B>
_CUDALINT_FN const auto &get(const pair<A, B> &p) {
  if constexpr (I == 0)
    return p.first;
  else
    return p.second;
}

template <typename... T>
struct tuple;
template <>
struct tuple<> {};
template <typename A>
struct tuple<A> {
  A a;
  _CUDALINT_FN tuple() : a() {}
  _CUDALINT_FN tuple(const A &a_) : a(a_) {}
  _CUDALINT_FN tuple &operator=(const tuple &other) {
    a = other.a;
    return *this;
  }
  template <typename A2>
  _CUDALINT_FN tuple &operator=(const tuple<A2> &other) {
    a = other.a;
    return *this;
  }
};
template <size_t I, typename A>
_CUDALINT_FN auto &get(tuple<A> &t) {
  return t.a;
}
template <size_t I, typename A>
_CUDALINT_FN const auto &get(const tuple<A> &t) {
  return t.a;
}
template <typename A, typename B>
struct tuple<A, B> {
  A a;
  B b;
  _CUDALINT_FN tuple() : a(), b() {}
  _CUDALINT_FN tuple(const A &a_, const B &b_) : a(a_), b(b_) {}
  _CUDALINT_FN tuple &operator=(const tuple &other) {
    a = other.a;
    b = other.b;
    return *this;
  }
  template <typename A2, typename B2>
  _CUDALINT_FN tuple &operator=(const tuple<A2, B2> &other) {
    a = other.a;
    b = other.b;
    return *this;
  }
};
template <size_t I, typename A, typename B>
_CUDALINT_FN auto &get(tuple<A, B> &t) {
  if constexpr (I == 0)
    return t.a;
  else
    return t.b;
}
template <size_t I, typename A, typename B>
_CUDALINT_FN const auto &get(const tuple<A, B> &t) {
  if constexpr (I == 0)
    return t.a;
  else
    return t.b;
}
template <typename A, typename B, typename C>
struct tuple<A, B, C> {
  A a;
  B b;
  C c;
  _CUDALINT_FN tuple() : a(), b(), c() {}
  _CUDALINT_FN tuple(const A &a_, const B &b_, const C &c_) : a(a_), b(b_), c(c_) {}
  _CUDALINT_FN tuple &operator=(const tuple &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    return *this;
  }
  template <typename A2, typename B2, typename C2>
  _CUDALINT_FN tuple &operator=(const tuple<A2, B2, C2> &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    return *this;
  }
};
template <size_t I, typename A, typename B, typename C>
_CUDALINT_FN auto &get(tuple<A, B, C> &t) {
  if constexpr (I == 0)
    return t.a;
  else if constexpr (I == 1)
    return t.b;
  else
    return t.c;
}
template <size_t I, typename A, typename B, typename C>
_CUDALINT_FN const auto &get(const tuple<A, B, C> &t) {
  if constexpr (I == 0)
    return t.a;
  else if constexpr (I == 1)
    return t.b;
  else
    return t.c;
}
template <typename A, typename B, typename C, typename D>
struct tuple<A, B, C, D> {
  A a;
  B b;
  C c;
  D d;
  _CUDALINT_FN tuple() : a(), b(), c(), d() {}
  _CUDALINT_FN tuple(const A &a_, const B &b_, const C &c_, const D &d_) : a(a_), b(b_), c(c_), d(d_) {}
  _CUDALINT_FN tuple &operator=(const tuple &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    d = other.d;
    return *this;
  }
  template <typename A2, typename B2, typename C2, typename D2>
  _CUDALINT_FN tuple &operator=(const tuple<A2, B2, C2, D2> &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    d = other.d;
    return *this;
  }
};
template <size_t I, typename A, typename B, typename C, typename D>
_CUDALINT_FN auto &get(tuple<A, B, C, D> &t) {
  if constexpr (I == 0)
    return t.a;
  else if constexpr (I == 1)
    return t.b;
  else if constexpr (I == 2)
    return t.c;
  else
    return t.d;
}
template <size_t I, typename A, typename B, typename C, typename D>
_CUDALINT_FN const auto &get(const tuple<A, B, C, D> &t) {
  if constexpr (I == 0)
    return t.a;
  else if constexpr (I == 1)
    return t.b;
  else if constexpr (I == 2)
    return t.c;
  else
    return t.d;
}
template <typename A, typename B, typename C, typename D, typename E>
struct tuple<A, B, C, D, E> {
  A a;
  B b;
  C c;
  D d;
  E e;
  _CUDALINT_FN tuple() : a(), b(), c(), d(), e() {}
  _CUDALINT_FN tuple(const A &a_, const B &b_, const C &c_, const D &d_, const E &e_) : a(a_), b(b_), c(c_), d(d_), e(e_) {}
  _CUDALINT_FN tuple &operator=(const tuple &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    d = other.d;
    e = other.e;
    return *this;
  }
  template <typename A2, typename B2, typename C2, typename D2, typename E2>
  _CUDALINT_FN tuple &operator=(const tuple<A2, B2, C2, D2, E2> &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    d = other.d;
    e = other.e;
    return *this;
  }
};
template <size_t I, typename A, typename B, typename C, typename D, typename E>
_CUDALINT_FN auto &get(tuple<A, B, C, D, E> &t) {
  if constexpr (I == 0)
    return t.a;
  else if constexpr (I == 1)
    return t.b;
  else if constexpr (I == 2)
    return t.c;
  else if constexpr (I == 3)
    return t.d;
  else
    return t.e;
}
template <size_t I, typename A, typename B, typename C, typename D, typename E>
_CUDALINT_FN const auto &get(const tuple<A, B, C, D, E> &t) {
  if constexpr (I == 0)
    return t.a;
  else if constexpr (I == 1)
    return t.b;
  else if constexpr (I == 2)
    return t.c;
  else if constexpr (I == 3)
    return t.d;
  else
    return t.e;
}
template <typename A, typename B, typename C, typename D, typename E, typename F>
struct tuple<A, B, C, D, E, F> {
  A a;
  B b;
  C c;
  D d;
  E e;
  F f;
  _CUDALINT_FN tuple() : a(), b(), c(), d(), e(), f() {}
  _CUDALINT_FN tuple(const A &a_, const B &b_, const C &c_, const D &d_, const E &e_, const F &f_) : a(a_), b(b_), c(c_), d(d_), e(e_), f(f_) {}
  _CUDALINT_FN tuple &operator=(const tuple &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    d = other.d;
    e = other.e;
    f = other.f;
    return *this;
  }
  template <typename A2, typename B2, typename C2, typename D2, typename E2, typename F2>
  _CUDALINT_FN tuple &operator=(const tuple<A2, B2, C2, D2, E2, F2> &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    d = other.d;
    e = other.e;
    f = other.f;
    return *this;
  }
};
template <size_t I, typename A, typename B, typename C, typename D, typename E, typename F>
_CUDALINT_FN auto &get(tuple<A, B, C, D, E, F> &t) {
  if constexpr (I == 0)
    return t.a;
  else if constexpr (I == 1)
    return t.b;
  else if constexpr (I == 2)
    return t.c;
  else if constexpr (I == 3)
    return t.d;
  else if constexpr (I == 4)
    return t.e;
  else
    return t.f;
}
template <size_t I, typename A, typename B, typename C, typename D, typename E, typename F>
_CUDALINT_FN const auto &get(const tuple<A, B, C, D, E, F> &t) {
  if constexpr (I == 0)
    return t.a;
  else if constexpr (I == 1)
    return t.b;
  else if constexpr (I == 2)
    return t.c;
  else if constexpr (I == 3)
    return t.d;
  else if constexpr (I == 4)
    return t.e;
  else
    return t.f;
}
template <typename A, typename B, typename C, typename D, typename E, typename F, typename G>
struct tuple<A, B, C, D, E, F, G> {
  A a;
  B b;
  C c;
  D d;
  E e;
  F f;
  G g;
  _CUDALINT_FN tuple() : a(), b(), c(), d(), e(), f(), g() {}
  _CUDALINT_FN tuple(const A &a_, const B &b_, const C &c_, const D &d_, const E &e_, const F &f_, const G &g_) : a(a_), b(b_), c(c_), d(d_), e(e_), f(f_), g(g_) {}
  _CUDALINT_FN tuple &operator=(const tuple &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    d = other.d;
    e = other.e;
    f = other.f;
    g = other.g;
    return *this;
  }
  template <typename A2, typename B2, typename C2, typename D2, typename E2, typename F2, typename G2>
  _CUDALINT_FN tuple &operator=(const tuple<A2, B2, C2, D2, E2, F2, G2> &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    d = other.d;
    e = other.e;
    f = other.f;
    g = other.g;
    return *this;
  }
};
template <size_t I, typename A, typename B, typename C, typename D, typename E, typename F, typename G>
_CUDALINT_FN auto &get(tuple<A, B, C, D, E, F, G> &t) {
  if constexpr (I == 0)
    return t.a;
  else if constexpr (I == 1)
    return t.b;
  else if constexpr (I == 2)
    return t.c;
  else if constexpr (I == 3)
    return t.d;
  else if constexpr (I == 4)
    return t.e;
  else if constexpr (I == 5)
    return t.f;
  else
    return t.g;
}
template <size_t I, typename A, typename B, typename C, typename D, typename E, typename F, typename G>
_CUDALINT_FN const auto &get(const tuple<A, B, C, D, E, F, G> &t) {
  if constexpr (I == 0)
    return t.a;
  else if constexpr (I == 1)
    return t.b;
  else if constexpr (I == 2)
    return t.c;
  else if constexpr (I == 3)
    return t.d;
  else if constexpr (I == 4)
    return t.e;
  else if constexpr (I == 5)
    return t.f;
  else
    return t.g;
}
template <typename A, typename B, typename C, typename D, typename E, typename F, typename G, typename H>
struct tuple<A, B, C, D, E, F, G, H> {
  A a;
  B b;
  C c;
  D d;
  E e;
  F f;
  G g;
  H h;
  _CUDALINT_FN tuple() : a(), b(), c(), d(), e(), f(), g(), h() {}
  _CUDALINT_FN tuple(const A &a_, const B &b_, const C &c_, const D &d_, const E &e_, const F &f_, const G &g_, const H &h_) : a(a_), b(b_), c(c_), d(d_), e(e_), f(f_), g(g_), h(h_) {}
  _CUDALINT_FN tuple &operator=(const tuple &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    d = other.d;
    e = other.e;
    f = other.f;
    g = other.g;
    h = other.h;
    return *this;
  }
  template <typename A2, typename B2, typename C2, typename D2, typename E2, typename F2, typename G2, typename H2>
  _CUDALINT_FN tuple &operator=(const tuple<A2, B2, C2, D2, E2, F2, G2, H2> &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    d = other.d;
    e = other.e;
    f = other.f;
    g = other.g;
    h = other.h;
    return *this;
  }
};
template <size_t I, typename A, typename B, typename C, typename D, typename E, typename F, typename G, typename H>
_CUDALINT_FN auto &get(tuple<A, B, C, D, E, F, G, H> &t) {
  if constexpr (I == 0)
    return t.a;
  else if constexpr (I == 1)
    return t.b;
  else if constexpr (I == 2)
    return t.c;
  else if constexpr (I == 3)
    return t.d;
  else if constexpr (I == 4)
    return t.e;
  else if constexpr (I == 5)
    return t.f;
  else if constexpr (I == 6)
    return t.g;
  else
    return t.h;
}
template <size_t I, typename A, typename B, typename C, typename D, typename E, typename F, typename G, typename H>
_CUDALINT_FN const auto &get(const tuple<A, B, C, D, E, F, G, H> &t) {
  if constexpr (I == 0)
    return t.a;
  else if constexpr (I == 1)
    return t.b;
  else if constexpr (I == 2)
    return t.c;
  else if constexpr (I == 3)
    return t.d;
  else if constexpr (I == 4)
    return t.e;
  else if constexpr (I == 5)
    return t.f;
  else if constexpr (I == 6)
    return t.g;
  else
    return t.h;
}
template <typename... T>
_CUDALINT_FN tuple<::std::decay_t<T>...> make_tuple(T &&...t) {
  return tuple<::std::decay_t<T>...>(t...);
}
template <typename... T>
_CUDALINT_FN tuple<T &...> tie(T &...t) {
  return tuple<T &...>(t...);
}

struct nullopt_t {};
constexpr nullopt_t nullopt = nullopt_t();
template <typename T>
struct optional {
  T value_;
  bool engaged_;
  _CUDALINT_FN optional() : engaged_(false) {}
  _CUDALINT_FN optional(nullopt_t) : engaged_(false) {}
  _CUDALINT_FN optional(const T &v) : value_(v), engaged_(true) {}
  _CUDALINT_FN bool has_value() const { return engaged_; }
  _CUDALINT_FN explicit operator bool() const { return engaged_; }
  _CUDALINT_FN T &value() { return value_; }
  _CUDALINT_FN const T &value() const { return value_; }
  _CUDALINT_FN T &operator*() { return value_; }
  _CUDALINT_FN const T &operator*() const { return value_; }
  _CUDALINT_FN T *operator->() { return &value_; }
  _CUDALINT_FN const T *operator->() const { return &value_; }
  _CUDALINT_FN T value_or(const T &other) const { return engaged_ ? value_ : other; }
};

constexpr size_t dynamic_extent = (size_t)-1;
template <typename T, size_t N = dynamic_extent>
struct span;
template <typename T>
struct span<T, dynamic_extent> {
  T *data_;
  size_t size_;
  _CUDALINT_FN span() : data_(nullptr), size_(0) {}
  _CUDALINT_FN span(T *data, size_t size) : data_(data), size_(size) {}
  template <typename U>
  _CUDALINT_FN span(const span<U, dynamic_extent> &other) : data_(other.data_), size_(other.size_) {}
  _CUDALINT_FN T *data() const { return data_; }
  _CUDALINT_FN size_t size() const { return size_; }
  _CUDALINT_FN bool empty() const { return size_ == 0; }
  _CUDALINT_FN T &operator[](size_t i) const { return data_[i]; }
  _CUDALINT_FN T &front() const { return data_[0]; }
  _CUDALINT_FN T &back() const { return data_[size_ - 1]; }
  _CUDALINT_FN T *begin() const { return data_; }
  _CUDALINT_FN T *end() const { return data_ + size_; }
  _CUDALINT_FN span first(size_t count) const { return span(data_, count); }
  _CUDALINT_FN span last(size_t count) const { return span(data_ + (size_ - count), count); }
  _CUDALINT_FN span subspan(size_t offset, size_t count = dynamic_extent) const {
    return span(data_ + offset, count == dynamic_extent ? size_ - offset : count);
  }
};

template <typename P>
_CUDALINT_FN ptrdiff_t distance(P *first, P *last) {
  return last - first;
}

}  // namespace std

template <typename A, typename B>
__host__ __device__ constexpr auto ceil_div(A a, B b) {
  return a / b + (a % b != 0);
}
template <typename A, typename B>
__host__ __device__ constexpr auto round_up(A a, B b) {
  return ceil_div(a, b) * b;
}
template <typename A, typename B>
__host__ __device__ constexpr auto round_down(A a, B b) {
  return a / b * b;
}

// A divisor with what the library multiplies by in its place; the quotient is that of a division.
template <typename T, bool IS_NEVER_ONE = false>
struct fast_mod_div {
  T divisor_;
  T multiplier_;
  unsigned add_;
  int shift_;
  __host__ __device__ explicit fast_mod_div(T divisor) : divisor_(divisor) {}
  __host__ __device__ operator T() const { return divisor_; }
};
template <typename L, typename T, bool IS_NEVER_ONE>
__host__ __device__ auto operator/(L dividend, const fast_mod_div<T, IS_NEVER_ONE> &by) {
  return dividend / by.divisor_;
}
template <typename L, typename T, bool IS_NEVER_ONE>
__host__ __device__ auto operator%(L dividend, const fast_mod_div<T, IS_NEVER_ONE> &by) {
  return dividend % by.divisor_;
}

namespace ptx {
__device__ inline uint32_t get_sreg_laneid() {
  uint32_t lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__device__ inline uint32_t get_sreg_tid_x() { return threadIdx.x; }
__device__ inline uint32_t get_sreg_tid_y() { return threadIdx.y; }
__device__ inline uint32_t get_sreg_tid_z() { return threadIdx.z; }
__device__ inline uint32_t get_sreg_ntid_x() { return blockDim.x; }
__device__ inline uint32_t get_sreg_ntid_y() { return blockDim.y; }
__device__ inline uint32_t get_sreg_ntid_z() { return blockDim.z; }
__device__ inline uint32_t get_sreg_ctaid_x() { return blockIdx.x; }
__device__ inline uint32_t get_sreg_ctaid_y() { return blockIdx.y; }
__device__ inline uint32_t get_sreg_ctaid_z() { return blockIdx.z; }
__device__ inline uint32_t get_sreg_nctaid_x() { return gridDim.x; }
__device__ inline uint32_t get_sreg_nctaid_y() { return gridDim.y; }
__device__ inline uint32_t get_sreg_nctaid_z() { return gridDim.z; }
}  // namespace ptx
}  // namespace cuda
namespace thrust {
using cuda::std::distance;
using cuda::std::get;
using cuda::std::make_pair;
using cuda::std::make_tuple;
using cuda::std::pair;
using cuda::std::tie;
using cuda::std::tuple;
}  // namespace thrust
#undef _CUDALINT_FN
