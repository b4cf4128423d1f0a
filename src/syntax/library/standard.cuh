// What device code holds of the standard library's small classes: their layout, and what their functions read.
// Host code is not read here: its rules know these names.
#define _CUDALINT_FN __device__ inline constexpr
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
_CUDALINT_FN pair<decay_t<A>, decay_t<B>> make_pair(A &&a, B &&b) {
  return pair<decay_t<A>, decay_t<B>>(a, b);
}
template <typename T, typename U>
_CUDALINT_FN T exchange(T &place, U &&value) {
  T before = place;
  place = value;
  return before;
}

// The last element lies first.
template <typename... T>
struct tuple;
template <>
struct tuple<> {};
template <typename H, typename... R>
struct tuple<H, R...> : tuple<R...> {
  H head;
  _CUDALINT_FN tuple() : tuple<R...>(), head() {}
  _CUDALINT_FN tuple(const H &h, const R &...r) : tuple<R...>(r...), head(h) {}
  _CUDALINT_FN tuple &operator=(const tuple &other) {
    head = other.head;
    static_cast<tuple<R...> &>(*this) = static_cast<const tuple<R...> &>(other);
    return *this;
  }
  template <typename G, typename... S>
  _CUDALINT_FN tuple &operator=(const tuple<G, S...> &other) {
    head = other.head;
    static_cast<tuple<R...> &>(*this) = static_cast<const tuple<S...> &>(other);
    return *this;
  }
};
template <size_t I, typename H, typename... R>
_CUDALINT_FN auto &get(tuple<H, R...> &t) {
  if constexpr (I == 0)
    return t.head;
  else
    return get<I - 1>(static_cast<tuple<R...> &>(t));
}
template <size_t I, typename H, typename... R>
_CUDALINT_FN const auto &get(const tuple<H, R...> &t) {
  if constexpr (I == 0)
    return t.head;
  else
    return get<I - 1>(static_cast<const tuple<R...> &>(t));
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
_CUDALINT_FN tuple<decay_t<T>...> make_tuple(T &&...t) {
  return tuple<decay_t<T>...>(t...);
}
template <typename... T>
_CUDALINT_FN tuple<T &...> tie(T &...t) {
  return tuple<T &...>(t...);
}

template <size_t SIZE, size_t ALIGN = (SIZE >= 16 ? 16 : SIZE >= 8 ? 8 : SIZE >= 4 ? 4 : SIZE >= 2 ? 2 : 1)>
struct aligned_storage {
  struct alignas(ALIGN) type {
    unsigned char bytes[SIZE];
  };
};
template <size_t SIZE, size_t ALIGN = (SIZE >= 16 ? 16 : SIZE >= 8 ? 8 : SIZE >= 4 ? 4 : SIZE >= 2 ? 2 : 1)>
using aligned_storage_t = typename aligned_storage<SIZE, ALIGN>::type;

}  // namespace std
#undef _CUDALINT_FN
