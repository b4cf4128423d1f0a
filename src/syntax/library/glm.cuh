// What device code holds of GLM: vectors and matrices as they lie in memory, their elements and their arithmetic.
// Vectors are as wide as their elements together and aligned as one of them; a matrix is its columns.
namespace glm {

typedef int length_t;
enum qualifier {
  packed_highp,
  packed_mediump,
  packed_lowp,
  highp = packed_highp,
  mediump = packed_mediump,
  lowp = packed_lowp,
  defaultp = packed_highp
};
typedef qualifier precision;
template <length_t L, typename T, qualifier Q = defaultp>
struct vec;
template <length_t C, length_t R, typename T, qualifier Q = defaultp>
struct mat;
template <typename T, qualifier Q = defaultp>
struct qua;

template <typename T, qualifier Q>
struct vec<2, T, Q> {
  typedef T value_type;
  typedef vec<2, T, Q> type;
  union { T x, r, s; };
  union { T y, g, t; };
  __host__ __device__ static constexpr length_t length() { return 2; }
  vec() = default;
  __host__ __device__ explicit vec(T s) : x(s), y(s) {}
  template <typename A0, typename A1>
  __host__ __device__ vec(A0 x_, A1 y_) : x((T)x_), y((T)y_) {}
  template <typename U, qualifier P>
  __host__ __device__ vec(const vec<2, U, P> &v) : x((T)v.x), y((T)v.y) {}
  template <typename U, qualifier P>
  __host__ __device__ explicit vec(const vec<3, U, P> &v) : x((T)v.x), y((T)v.y) {}
  template <typename U, qualifier P>
  __host__ __device__ explicit vec(const vec<4, U, P> &v) : x((T)v.x), y((T)v.y) {}
  __host__ __device__ T &operator[](length_t i) { return (&x)[i]; }
  __host__ __device__ const T &operator[](length_t i) const { return (&x)[i]; }
  template <typename U>
  __host__ __device__ vec &operator+=(U s) {
    x += (T)s;
    y += (T)s;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator+=(const vec<2, U, Q> &v) {
    x += (T)v.x;
    y += (T)v.y;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator-=(U s) {
    x -= (T)s;
    y -= (T)s;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator-=(const vec<2, U, Q> &v) {
    x -= (T)v.x;
    y -= (T)v.y;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator*=(U s) {
    x *= (T)s;
    y *= (T)s;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator*=(const vec<2, U, Q> &v) {
    x *= (T)v.x;
    y *= (T)v.y;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator/=(U s) {
    x /= (T)s;
    y /= (T)s;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator/=(const vec<2, U, Q> &v) {
    x /= (T)v.x;
    y /= (T)v.y;
    return *this;
  }
};
template <typename T, qualifier Q>
struct vec<3, T, Q> {
  typedef T value_type;
  typedef vec<3, T, Q> type;
  union { T x, r, s; };
  union { T y, g, t; };
  union { T z, b, p; };
  __host__ __device__ static constexpr length_t length() { return 3; }
  vec() = default;
  __host__ __device__ explicit vec(T s) : x(s), y(s), z(s) {}
  template <typename A0, typename A1, typename A2>
  __host__ __device__ vec(A0 x_, A1 y_, A2 z_) : x((T)x_), y((T)y_), z((T)z_) {}
  template <typename U, qualifier P>
  __host__ __device__ vec(const vec<3, U, P> &v) : x((T)v.x), y((T)v.y), z((T)v.z) {}
  template <typename U, qualifier P>
  __host__ __device__ explicit vec(const vec<4, U, P> &v) : x((T)v.x), y((T)v.y), z((T)v.z) {}
  template <typename U, qualifier P, typename B>
  __host__ __device__ vec(const vec<2, U, P> &v, B s) : x((T)v.x), y((T)v.y), z((T)s) {}
  template <typename A, typename U, qualifier P>
  __host__ __device__ vec(A s, const vec<2, U, P> &v) : x((T)s), y((T)v.x), z((T)v.y) {}
  __host__ __device__ T &operator[](length_t i) { return (&x)[i]; }
  __host__ __device__ const T &operator[](length_t i) const { return (&x)[i]; }
  template <typename U>
  __host__ __device__ vec &operator+=(U s) {
    x += (T)s;
    y += (T)s;
    z += (T)s;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator+=(const vec<3, U, Q> &v) {
    x += (T)v.x;
    y += (T)v.y;
    z += (T)v.z;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator-=(U s) {
    x -= (T)s;
    y -= (T)s;
    z -= (T)s;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator-=(const vec<3, U, Q> &v) {
    x -= (T)v.x;
    y -= (T)v.y;
    z -= (T)v.z;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator*=(U s) {
    x *= (T)s;
    y *= (T)s;
    z *= (T)s;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator*=(const vec<3, U, Q> &v) {
    x *= (T)v.x;
    y *= (T)v.y;
    z *= (T)v.z;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator/=(U s) {
    x /= (T)s;
    y /= (T)s;
    z /= (T)s;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator/=(const vec<3, U, Q> &v) {
    x /= (T)v.x;
    y /= (T)v.y;
    z /= (T)v.z;
    return *this;
  }
};
template <typename T, qualifier Q>
struct vec<4, T, Q> {
  typedef T value_type;
  typedef vec<4, T, Q> type;
  union { T x, r, s; };
  union { T y, g, t; };
  union { T z, b, p; };
  union { T w, a, q; };
  __host__ __device__ static constexpr length_t length() { return 4; }
  vec() = default;
  __host__ __device__ explicit vec(T s) : x(s), y(s), z(s), w(s) {}
  template <typename A0, typename A1, typename A2, typename A3>
  __host__ __device__ vec(A0 x_, A1 y_, A2 z_, A3 w_) : x((T)x_), y((T)y_), z((T)z_), w((T)w_) {}
  template <typename U, qualifier P>
  __host__ __device__ vec(const vec<4, U, P> &v) : x((T)v.x), y((T)v.y), z((T)v.z), w((T)v.w) {}
  template <typename U, qualifier P, typename B>
  __host__ __device__ vec(const vec<3, U, P> &v, B s) : x((T)v.x), y((T)v.y), z((T)v.z), w((T)s) {}
  template <typename A, typename U, qualifier P>
  __host__ __device__ vec(A s, const vec<3, U, P> &v) : x((T)s), y((T)v.x), z((T)v.y), w((T)v.z) {}
  template <typename U, qualifier P, typename V, qualifier O>
  __host__ __device__ vec(const vec<2, U, P> &u, const vec<2, V, O> &v) : x((T)u.x), y((T)u.y), z((T)v.x), w((T)v.y) {}
  __host__ __device__ T &operator[](length_t i) { return (&x)[i]; }
  __host__ __device__ const T &operator[](length_t i) const { return (&x)[i]; }
  template <typename U>
  __host__ __device__ vec &operator+=(U s) {
    x += (T)s;
    y += (T)s;
    z += (T)s;
    w += (T)s;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator+=(const vec<4, U, Q> &v) {
    x += (T)v.x;
    y += (T)v.y;
    z += (T)v.z;
    w += (T)v.w;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator-=(U s) {
    x -= (T)s;
    y -= (T)s;
    z -= (T)s;
    w -= (T)s;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator-=(const vec<4, U, Q> &v) {
    x -= (T)v.x;
    y -= (T)v.y;
    z -= (T)v.z;
    w -= (T)v.w;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator*=(U s) {
    x *= (T)s;
    y *= (T)s;
    z *= (T)s;
    w *= (T)s;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator*=(const vec<4, U, Q> &v) {
    x *= (T)v.x;
    y *= (T)v.y;
    z *= (T)v.z;
    w *= (T)v.w;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator/=(U s) {
    x /= (T)s;
    y /= (T)s;
    z /= (T)s;
    w /= (T)s;
    return *this;
  }
  template <typename U>
  __host__ __device__ vec &operator/=(const vec<4, U, Q> &v) {
    x /= (T)v.x;
    y /= (T)v.y;
    z /= (T)v.z;
    w /= (T)v.w;
    return *this;
  }
};
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator-(const vec<2, T, Q> &a) { return vec<2, T, Q>(-a.x, -a.y); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator+(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(a.x + b.x, a.y + b.y); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator+(const vec<2, T, Q> &a, T s) { return vec<2, T, Q>(a.x + s, a.y + s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator+(T s, const vec<2, T, Q> &a) { return vec<2, T, Q>(s + a.x, s + a.y); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator-(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(a.x - b.x, a.y - b.y); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator-(const vec<2, T, Q> &a, T s) { return vec<2, T, Q>(a.x - s, a.y - s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator-(T s, const vec<2, T, Q> &a) { return vec<2, T, Q>(s - a.x, s - a.y); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator*(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(a.x * b.x, a.y * b.y); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator*(const vec<2, T, Q> &a, T s) { return vec<2, T, Q>(a.x * s, a.y * s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator*(T s, const vec<2, T, Q> &a) { return vec<2, T, Q>(s * a.x, s * a.y); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator/(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(a.x / b.x, a.y / b.y); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator/(const vec<2, T, Q> &a, T s) { return vec<2, T, Q>(a.x / s, a.y / s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator/(T s, const vec<2, T, Q> &a) { return vec<2, T, Q>(s / a.x, s / a.y); }
template <typename T, qualifier Q>
__host__ __device__ inline bool operator==(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return a.x == b.x && a.y == b.y; }
template <typename T, qualifier Q>
__host__ __device__ inline bool operator!=(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return !(a == b); }
template <typename T, qualifier Q>
__host__ __device__ inline T dot(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return a.x * b.x + a.y * b.y; }
template <typename T, qualifier Q>
__host__ __device__ inline T length(const vec<2, T, Q> &a) { return ::sqrt(dot(a, a)); }
template <typename T, qualifier Q>
__host__ __device__ inline T length2(const vec<2, T, Q> &a) { return dot(a, a); }
template <typename T, qualifier Q>
__host__ __device__ inline T distance(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return length(a - b); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> normalize(const vec<2, T, Q> &a) { return a * (T(1) / ::sqrt(dot(a, a))); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> min(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> min(const vec<2, T, Q> &a, T s) { return vec<2, T, Q>(a.x < s ? a.x : s, a.y < s ? a.y : s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> max(const vec<2, T, Q> &a, const vec<2, T, Q> &b) { return vec<2, T, Q>(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> max(const vec<2, T, Q> &a, T s) { return vec<2, T, Q>(a.x > s ? a.x : s, a.y > s ? a.y : s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> clamp(const vec<2, T, Q> &a, T low, T high) { return min(max(a, low), high); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> clamp(const vec<2, T, Q> &a, const vec<2, T, Q> &low, const vec<2, T, Q> &high) { return min(max(a, low), high); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> mix(const vec<2, T, Q> &a, const vec<2, T, Q> &b, T s) { return a * (T(1) - s) + b * s; }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> abs(const vec<2, T, Q> &a) { return vec<2, T, Q>((T)::fabs(a.x), (T)::fabs(a.y)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> floor(const vec<2, T, Q> &a) { return vec<2, T, Q>((T)::floor(a.x), (T)::floor(a.y)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> ceil(const vec<2, T, Q> &a) { return vec<2, T, Q>((T)::ceil(a.x), (T)::ceil(a.y)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> sqrt(const vec<2, T, Q> &a) { return vec<2, T, Q>((T)::sqrt(a.x), (T)::sqrt(a.y)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> exp(const vec<2, T, Q> &a) { return vec<2, T, Q>((T)::exp(a.x), (T)::exp(a.y)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator-(const vec<3, T, Q> &a) { return vec<3, T, Q>(-a.x, -a.y, -a.z); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator+(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(a.x + b.x, a.y + b.y, a.z + b.z); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator+(const vec<3, T, Q> &a, T s) { return vec<3, T, Q>(a.x + s, a.y + s, a.z + s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator+(T s, const vec<3, T, Q> &a) { return vec<3, T, Q>(s + a.x, s + a.y, s + a.z); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator-(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(a.x - b.x, a.y - b.y, a.z - b.z); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator-(const vec<3, T, Q> &a, T s) { return vec<3, T, Q>(a.x - s, a.y - s, a.z - s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator-(T s, const vec<3, T, Q> &a) { return vec<3, T, Q>(s - a.x, s - a.y, s - a.z); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator*(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(a.x * b.x, a.y * b.y, a.z * b.z); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator*(const vec<3, T, Q> &a, T s) { return vec<3, T, Q>(a.x * s, a.y * s, a.z * s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator*(T s, const vec<3, T, Q> &a) { return vec<3, T, Q>(s * a.x, s * a.y, s * a.z); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator/(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(a.x / b.x, a.y / b.y, a.z / b.z); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator/(const vec<3, T, Q> &a, T s) { return vec<3, T, Q>(a.x / s, a.y / s, a.z / s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator/(T s, const vec<3, T, Q> &a) { return vec<3, T, Q>(s / a.x, s / a.y, s / a.z); }
template <typename T, qualifier Q>
__host__ __device__ inline bool operator==(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
template <typename T, qualifier Q>
__host__ __device__ inline bool operator!=(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return !(a == b); }
template <typename T, qualifier Q>
__host__ __device__ inline T dot(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <typename T, qualifier Q>
__host__ __device__ inline T length(const vec<3, T, Q> &a) { return ::sqrt(dot(a, a)); }
template <typename T, qualifier Q>
__host__ __device__ inline T length2(const vec<3, T, Q> &a) { return dot(a, a); }
template <typename T, qualifier Q>
__host__ __device__ inline T distance(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return length(a - b); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> normalize(const vec<3, T, Q> &a) { return a * (T(1) / ::sqrt(dot(a, a))); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> min(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> min(const vec<3, T, Q> &a, T s) { return vec<3, T, Q>(a.x < s ? a.x : s, a.y < s ? a.y : s, a.z < s ? a.z : s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> max(const vec<3, T, Q> &a, const vec<3, T, Q> &b) { return vec<3, T, Q>(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> max(const vec<3, T, Q> &a, T s) { return vec<3, T, Q>(a.x > s ? a.x : s, a.y > s ? a.y : s, a.z > s ? a.z : s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> clamp(const vec<3, T, Q> &a, T low, T high) { return min(max(a, low), high); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> clamp(const vec<3, T, Q> &a, const vec<3, T, Q> &low, const vec<3, T, Q> &high) { return min(max(a, low), high); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> mix(const vec<3, T, Q> &a, const vec<3, T, Q> &b, T s) { return a * (T(1) - s) + b * s; }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> abs(const vec<3, T, Q> &a) { return vec<3, T, Q>((T)::fabs(a.x), (T)::fabs(a.y), (T)::fabs(a.z)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> floor(const vec<3, T, Q> &a) { return vec<3, T, Q>((T)::floor(a.x), (T)::floor(a.y), (T)::floor(a.z)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> ceil(const vec<3, T, Q> &a) { return vec<3, T, Q>((T)::ceil(a.x), (T)::ceil(a.y), (T)::ceil(a.z)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> sqrt(const vec<3, T, Q> &a) { return vec<3, T, Q>((T)::sqrt(a.x), (T)::sqrt(a.y), (T)::sqrt(a.z)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> exp(const vec<3, T, Q> &a) { return vec<3, T, Q>((T)::exp(a.x), (T)::exp(a.y), (T)::exp(a.z)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator-(const vec<4, T, Q> &a) { return vec<4, T, Q>(-a.x, -a.y, -a.z, -a.w); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator+(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator+(const vec<4, T, Q> &a, T s) { return vec<4, T, Q>(a.x + s, a.y + s, a.z + s, a.w + s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator+(T s, const vec<4, T, Q> &a) { return vec<4, T, Q>(s + a.x, s + a.y, s + a.z, s + a.w); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator-(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator-(const vec<4, T, Q> &a, T s) { return vec<4, T, Q>(a.x - s, a.y - s, a.z - s, a.w - s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator-(T s, const vec<4, T, Q> &a) { return vec<4, T, Q>(s - a.x, s - a.y, s - a.z, s - a.w); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator*(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator*(const vec<4, T, Q> &a, T s) { return vec<4, T, Q>(a.x * s, a.y * s, a.z * s, a.w * s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator*(T s, const vec<4, T, Q> &a) { return vec<4, T, Q>(s * a.x, s * a.y, s * a.z, s * a.w); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator/(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator/(const vec<4, T, Q> &a, T s) { return vec<4, T, Q>(a.x / s, a.y / s, a.z / s, a.w / s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator/(T s, const vec<4, T, Q> &a) { return vec<4, T, Q>(s / a.x, s / a.y, s / a.z, s / a.w); }
template <typename T, qualifier Q>
__host__ __device__ inline bool operator==(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }
template <typename T, qualifier Q>
__host__ __device__ inline bool operator!=(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return !(a == b); }
template <typename T, qualifier Q>
__host__ __device__ inline T dot(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
template <typename T, qualifier Q>
__host__ __device__ inline T length(const vec<4, T, Q> &a) { return ::sqrt(dot(a, a)); }
template <typename T, qualifier Q>
__host__ __device__ inline T length2(const vec<4, T, Q> &a) { return dot(a, a); }
template <typename T, qualifier Q>
__host__ __device__ inline T distance(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return length(a - b); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> normalize(const vec<4, T, Q> &a) { return a * (T(1) / ::sqrt(dot(a, a))); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> min(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z, a.w < b.w ? a.w : b.w); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> min(const vec<4, T, Q> &a, T s) { return vec<4, T, Q>(a.x < s ? a.x : s, a.y < s ? a.y : s, a.z < s ? a.z : s, a.w < s ? a.w : s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> max(const vec<4, T, Q> &a, const vec<4, T, Q> &b) { return vec<4, T, Q>(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z, a.w > b.w ? a.w : b.w); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> max(const vec<4, T, Q> &a, T s) { return vec<4, T, Q>(a.x > s ? a.x : s, a.y > s ? a.y : s, a.z > s ? a.z : s, a.w > s ? a.w : s); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> clamp(const vec<4, T, Q> &a, T low, T high) { return min(max(a, low), high); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> clamp(const vec<4, T, Q> &a, const vec<4, T, Q> &low, const vec<4, T, Q> &high) { return min(max(a, low), high); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> mix(const vec<4, T, Q> &a, const vec<4, T, Q> &b, T s) { return a * (T(1) - s) + b * s; }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> abs(const vec<4, T, Q> &a) { return vec<4, T, Q>((T)::fabs(a.x), (T)::fabs(a.y), (T)::fabs(a.z), (T)::fabs(a.w)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> floor(const vec<4, T, Q> &a) { return vec<4, T, Q>((T)::floor(a.x), (T)::floor(a.y), (T)::floor(a.z), (T)::floor(a.w)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> ceil(const vec<4, T, Q> &a) { return vec<4, T, Q>((T)::ceil(a.x), (T)::ceil(a.y), (T)::ceil(a.z), (T)::ceil(a.w)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> sqrt(const vec<4, T, Q> &a) { return vec<4, T, Q>((T)::sqrt(a.x), (T)::sqrt(a.y), (T)::sqrt(a.z), (T)::sqrt(a.w)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> exp(const vec<4, T, Q> &a) { return vec<4, T, Q>((T)::exp(a.x), (T)::exp(a.y), (T)::exp(a.z), (T)::exp(a.w)); }
template <typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> cross(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
  return vec<3, T, Q>(a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y);
}
__host__ __device__ inline float min(float a, float b) { return a < b ? a : b; }
__host__ __device__ inline float max(float a, float b) { return a > b ? a : b; }
__host__ __device__ inline float clamp(float a, float low, float high) { return min(max(a, low), high); }
__host__ __device__ inline float abs(float a) { return a < 0 ? -a : a; }
__host__ __device__ inline float mix(float a, float b, float s) { return a * (1 - s) + b * s; }
__host__ __device__ inline float floor(float a) { return ::floor(a); }
__host__ __device__ inline float ceil(float a) { return ::ceil(a); }
__host__ __device__ inline float sqrt(float a) { return ::sqrt(a); }
__host__ __device__ inline float exp(float a) { return ::exp(a); }
__host__ __device__ inline double min(double a, double b) { return a < b ? a : b; }
__host__ __device__ inline double max(double a, double b) { return a > b ? a : b; }
__host__ __device__ inline double clamp(double a, double low, double high) { return min(max(a, low), high); }
__host__ __device__ inline double abs(double a) { return a < 0 ? -a : a; }
__host__ __device__ inline double mix(double a, double b, double s) { return a * (1 - s) + b * s; }
__host__ __device__ inline double floor(double a) { return ::floor(a); }
__host__ __device__ inline double ceil(double a) { return ::ceil(a); }
__host__ __device__ inline double sqrt(double a) { return ::sqrt(a); }
__host__ __device__ inline double exp(double a) { return ::exp(a); }
__host__ __device__ inline int min(int a, int b) { return a < b ? a : b; }
__host__ __device__ inline int max(int a, int b) { return a > b ? a : b; }
__host__ __device__ inline int clamp(int a, int low, int high) { return min(max(a, low), high); }
__host__ __device__ inline int abs(int a) { return a < 0 ? -a : a; }
template <typename T, qualifier Q>
struct mat<2, 2, T, Q> {
  typedef vec<2, T, Q> col_type;
  typedef vec<2, T, Q> row_type;
  typedef T value_type;
  col_type value[2];
  mat() = default;
  __host__ __device__ static constexpr length_t length() { return 2; }
  __host__ __device__ explicit mat(T s) {
    value[0] = col_type(s, T(0));
    value[1] = col_type(T(0), s);
  }
  __host__ __device__ mat(T m00, T m01, T m10, T m11) {
    value[0] = col_type(m00, m01);
    value[1] = col_type(m10, m11);
  }
  __host__ __device__ mat(const col_type &c0, const col_type &c1) {
    value[0] = c0;
    value[1] = c1;
  }
  template <typename U, qualifier P>
  __host__ __device__ explicit mat(const mat<2, 2, U, P> &m) {
    value[0] = col_type(m.value[0]);
    value[1] = col_type(m.value[1]);
  }
  template <typename U, qualifier P>
  __host__ __device__ explicit mat(const mat<3, 3, U, P> &m) {
    value[0] = col_type(m.value[0]);
    value[1] = col_type(m.value[1]);
  }
  template <typename U, qualifier P>
  __host__ __device__ explicit mat(const mat<4, 4, U, P> &m) {
    value[0] = col_type(m.value[0]);
    value[1] = col_type(m.value[1]);
  }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  __host__ __device__ mat &operator+=(const mat &m) {
    value[0] += m.value[0];
    value[1] += m.value[1];
    return *this;
  }
  __host__ __device__ mat &operator-=(const mat &m) {
    value[0] -= m.value[0];
    value[1] -= m.value[1];
    return *this;
  }
  __host__ __device__ mat &operator*=(T s) {
    value[0] *= s;
    value[1] *= s;
    return *this;
  }
};
template <typename T, qualifier Q>
struct mat<2, 3, T, Q> {
  typedef vec<3, T, Q> col_type;
  typedef vec<2, T, Q> row_type;
  typedef T value_type;
  col_type value[2];
  mat() = default;
  __host__ __device__ static constexpr length_t length() { return 2; }
  __host__ __device__ explicit mat(T s) {
    value[0] = col_type(s, T(0), T(0));
    value[1] = col_type(T(0), s, T(0));
  }
  __host__ __device__ mat(T m00, T m01, T m02, T m10, T m11, T m12) {
    value[0] = col_type(m00, m01, m02);
    value[1] = col_type(m10, m11, m12);
  }
  __host__ __device__ mat(const col_type &c0, const col_type &c1) {
    value[0] = c0;
    value[1] = c1;
  }
  template <typename U, qualifier P>
  __host__ __device__ explicit mat(const mat<2, 3, U, P> &m) {
    value[0] = col_type(m.value[0]);
    value[1] = col_type(m.value[1]);
  }
  template <typename U, qualifier P>
  __host__ __device__ explicit mat(const mat<4, 4, U, P> &m) {
    value[0] = col_type(m.value[0]);
    value[1] = col_type(m.value[1]);
  }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  __host__ __device__ mat &operator+=(const mat &m) {
    value[0] += m.value[0];
    value[1] += m.value[1];
    return *this;
  }
  __host__ __device__ mat &operator-=(const mat &m) {
    value[0] -= m.value[0];
    value[1] -= m.value[1];
    return *this;
  }
  __host__ __device__ mat &operator*=(T s) {
    value[0] *= s;
    value[1] *= s;
    return *this;
  }
};
template <typename T, qualifier Q>
struct mat<3, 2, T, Q> {
  typedef vec<2, T, Q> col_type;
  typedef vec<3, T, Q> row_type;
  typedef T value_type;
  col_type value[3];
  mat() = default;
  __host__ __device__ static constexpr length_t length() { return 3; }
  __host__ __device__ explicit mat(T s) {
    value[0] = col_type(s, T(0));
    value[1] = col_type(T(0), s);
    value[2] = col_type(T(0), T(0));
  }
  __host__ __device__ mat(T m00, T m01, T m10, T m11, T m20, T m21) {
    value[0] = col_type(m00, m01);
    value[1] = col_type(m10, m11);
    value[2] = col_type(m20, m21);
  }
  __host__ __device__ mat(const col_type &c0, const col_type &c1, const col_type &c2) {
    value[0] = c0;
    value[1] = c1;
    value[2] = c2;
  }
  template <typename U, qualifier P>
  __host__ __device__ explicit mat(const mat<3, 2, U, P> &m) {
    value[0] = col_type(m.value[0]);
    value[1] = col_type(m.value[1]);
    value[2] = col_type(m.value[2]);
  }
  template <typename U, qualifier P>
  __host__ __device__ explicit mat(const mat<4, 4, U, P> &m) {
    value[0] = col_type(m.value[0]);
    value[1] = col_type(m.value[1]);
    value[2] = col_type(m.value[2]);
  }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  __host__ __device__ mat &operator+=(const mat &m) {
    value[0] += m.value[0];
    value[1] += m.value[1];
    value[2] += m.value[2];
    return *this;
  }
  __host__ __device__ mat &operator-=(const mat &m) {
    value[0] -= m.value[0];
    value[1] -= m.value[1];
    value[2] -= m.value[2];
    return *this;
  }
  __host__ __device__ mat &operator*=(T s) {
    value[0] *= s;
    value[1] *= s;
    value[2] *= s;
    return *this;
  }
};
template <typename T, qualifier Q>
struct mat<3, 3, T, Q> {
  typedef vec<3, T, Q> col_type;
  typedef vec<3, T, Q> row_type;
  typedef T value_type;
  col_type value[3];
  mat() = default;
  __host__ __device__ static constexpr length_t length() { return 3; }
  __host__ __device__ explicit mat(T s) {
    value[0] = col_type(s, T(0), T(0));
    value[1] = col_type(T(0), s, T(0));
    value[2] = col_type(T(0), T(0), s);
  }
  __host__ __device__ mat(T m00, T m01, T m02, T m10, T m11, T m12, T m20, T m21, T m22) {
    value[0] = col_type(m00, m01, m02);
    value[1] = col_type(m10, m11, m12);
    value[2] = col_type(m20, m21, m22);
  }
  __host__ __device__ mat(const col_type &c0, const col_type &c1, const col_type &c2) {
    value[0] = c0;
    value[1] = c1;
    value[2] = c2;
  }
  template <typename U, qualifier P>
  __host__ __device__ explicit mat(const mat<3, 3, U, P> &m) {
    value[0] = col_type(m.value[0]);
    value[1] = col_type(m.value[1]);
    value[2] = col_type(m.value[2]);
  }
  template <typename U, qualifier P>
  __host__ __device__ explicit mat(const mat<4, 4, U, P> &m) {
    value[0] = col_type(m.value[0]);
    value[1] = col_type(m.value[1]);
    value[2] = col_type(m.value[2]);
  }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  __host__ __device__ mat &operator+=(const mat &m) {
    value[0] += m.value[0];
    value[1] += m.value[1];
    value[2] += m.value[2];
    return *this;
  }
  __host__ __device__ mat &operator-=(const mat &m) {
    value[0] -= m.value[0];
    value[1] -= m.value[1];
    value[2] -= m.value[2];
    return *this;
  }
  __host__ __device__ mat &operator*=(T s) {
    value[0] *= s;
    value[1] *= s;
    value[2] *= s;
    return *this;
  }
};
template <typename T, qualifier Q>
struct mat<3, 4, T, Q> {
  typedef vec<4, T, Q> col_type;
  typedef vec<3, T, Q> row_type;
  typedef T value_type;
  col_type value[3];
  mat() = default;
  __host__ __device__ static constexpr length_t length() { return 3; }
  __host__ __device__ explicit mat(T s) {
    value[0] = col_type(s, T(0), T(0), T(0));
    value[1] = col_type(T(0), s, T(0), T(0));
    value[2] = col_type(T(0), T(0), s, T(0));
  }
  __host__ __device__ mat(T m00, T m01, T m02, T m03, T m10, T m11, T m12, T m13, T m20, T m21, T m22, T m23) {
    value[0] = col_type(m00, m01, m02, m03);
    value[1] = col_type(m10, m11, m12, m13);
    value[2] = col_type(m20, m21, m22, m23);
  }
  __host__ __device__ mat(const col_type &c0, const col_type &c1, const col_type &c2) {
    value[0] = c0;
    value[1] = c1;
    value[2] = c2;
  }
  template <typename U, qualifier P>
  __host__ __device__ explicit mat(const mat<3, 4, U, P> &m) {
    value[0] = col_type(m.value[0]);
    value[1] = col_type(m.value[1]);
    value[2] = col_type(m.value[2]);
  }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  __host__ __device__ mat &operator+=(const mat &m) {
    value[0] += m.value[0];
    value[1] += m.value[1];
    value[2] += m.value[2];
    return *this;
  }
  __host__ __device__ mat &operator-=(const mat &m) {
    value[0] -= m.value[0];
    value[1] -= m.value[1];
    value[2] -= m.value[2];
    return *this;
  }
  __host__ __device__ mat &operator*=(T s) {
    value[0] *= s;
    value[1] *= s;
    value[2] *= s;
    return *this;
  }
};
template <typename T, qualifier Q>
struct mat<4, 3, T, Q> {
  typedef vec<3, T, Q> col_type;
  typedef vec<4, T, Q> row_type;
  typedef T value_type;
  col_type value[4];
  mat() = default;
  __host__ __device__ static constexpr length_t length() { return 4; }
  __host__ __device__ explicit mat(T s) {
    value[0] = col_type(s, T(0), T(0));
    value[1] = col_type(T(0), s, T(0));
    value[2] = col_type(T(0), T(0), s);
    value[3] = col_type(T(0), T(0), T(0));
  }
  __host__ __device__ mat(T m00, T m01, T m02, T m10, T m11, T m12, T m20, T m21, T m22, T m30, T m31, T m32) {
    value[0] = col_type(m00, m01, m02);
    value[1] = col_type(m10, m11, m12);
    value[2] = col_type(m20, m21, m22);
    value[3] = col_type(m30, m31, m32);
  }
  __host__ __device__ mat(const col_type &c0, const col_type &c1, const col_type &c2, const col_type &c3) {
    value[0] = c0;
    value[1] = c1;
    value[2] = c2;
    value[3] = c3;
  }
  template <typename U, qualifier P>
  __host__ __device__ explicit mat(const mat<4, 3, U, P> &m) {
    value[0] = col_type(m.value[0]);
    value[1] = col_type(m.value[1]);
    value[2] = col_type(m.value[2]);
    value[3] = col_type(m.value[3]);
  }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  __host__ __device__ mat &operator+=(const mat &m) {
    value[0] += m.value[0];
    value[1] += m.value[1];
    value[2] += m.value[2];
    value[3] += m.value[3];
    return *this;
  }
  __host__ __device__ mat &operator-=(const mat &m) {
    value[0] -= m.value[0];
    value[1] -= m.value[1];
    value[2] -= m.value[2];
    value[3] -= m.value[3];
    return *this;
  }
  __host__ __device__ mat &operator*=(T s) {
    value[0] *= s;
    value[1] *= s;
    value[2] *= s;
    value[3] *= s;
    return *this;
  }
};
template <typename T, qualifier Q>
struct mat<4, 4, T, Q> {
  typedef vec<4, T, Q> col_type;
  typedef vec<4, T, Q> row_type;
  typedef T value_type;
  col_type value[4];
  mat() = default;
  __host__ __device__ static constexpr length_t length() { return 4; }
  __host__ __device__ explicit mat(T s) {
    value[0] = col_type(s, T(0), T(0), T(0));
    value[1] = col_type(T(0), s, T(0), T(0));
    value[2] = col_type(T(0), T(0), s, T(0));
    value[3] = col_type(T(0), T(0), T(0), s);
  }
  __host__ __device__ mat(T m00, T m01, T m02, T m03, T m10, T m11, T m12, T m13, T m20, T m21, T m22, T m23, T m30, T m31, T m32, T m33) {
    value[0] = col_type(m00, m01, m02, m03);
    value[1] = col_type(m10, m11, m12, m13);
    value[2] = col_type(m20, m21, m22, m23);
    value[3] = col_type(m30, m31, m32, m33);
  }
  __host__ __device__ mat(const col_type &c0, const col_type &c1, const col_type &c2, const col_type &c3) {
    value[0] = c0;
    value[1] = c1;
    value[2] = c2;
    value[3] = c3;
  }
  template <typename U, qualifier P>
  __host__ __device__ explicit mat(const mat<4, 4, U, P> &m) {
    value[0] = col_type(m.value[0]);
    value[1] = col_type(m.value[1]);
    value[2] = col_type(m.value[2]);
    value[3] = col_type(m.value[3]);
  }
  __host__ __device__ col_type &operator[](length_t i) { return value[i]; }
  __host__ __device__ const col_type &operator[](length_t i) const { return value[i]; }
  __host__ __device__ mat &operator+=(const mat &m) {
    value[0] += m.value[0];
    value[1] += m.value[1];
    value[2] += m.value[2];
    value[3] += m.value[3];
    return *this;
  }
  __host__ __device__ mat &operator-=(const mat &m) {
    value[0] -= m.value[0];
    value[1] -= m.value[1];
    value[2] -= m.value[2];
    value[3] -= m.value[3];
    return *this;
  }
  __host__ __device__ mat &operator*=(T s) {
    value[0] *= s;
    value[1] *= s;
    value[2] *= s;
    value[3] *= s;
    return *this;
  }
};
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<2, R, T, Q> operator-(const mat<2, R, T, Q> &a) { return mat<2, R, T, Q>(-a.value[0], -a.value[1]); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<2, R, T, Q> operator+(const mat<2, R, T, Q> &a, const mat<2, R, T, Q> &b) { return mat<2, R, T, Q>(a.value[0] + b.value[0], a.value[1] + b.value[1]); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<2, R, T, Q> operator-(const mat<2, R, T, Q> &a, const mat<2, R, T, Q> &b) { return mat<2, R, T, Q>(a.value[0] - b.value[0], a.value[1] - b.value[1]); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<2, R, T, Q> operator*(const mat<2, R, T, Q> &a, T s) { return mat<2, R, T, Q>(a.value[0] * s, a.value[1] * s); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<2, R, T, Q> operator*(T s, const mat<2, R, T, Q> &a) { return mat<2, R, T, Q>(a.value[0] * s, a.value[1] * s); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<2, R, T, Q> operator/(const mat<2, R, T, Q> &a, T s) { return mat<2, R, T, Q>(a.value[0] / s, a.value[1] / s); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline vec<R, T, Q> operator*(const mat<2, R, T, Q> &a, const vec<2, T, Q> &v) {
  return a.value[0] * v.x + a.value[1] * v.y;
}
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline vec<2, T, Q> operator*(const vec<R, T, Q> &v, const mat<2, R, T, Q> &a) {
  return vec<2, T, Q>(dot(v, a.value[0]), dot(v, a.value[1]));
}
template <length_t C, length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<2, R, T, Q> operator*(const mat<C, R, T, Q> &a, const mat<2, C, T, Q> &b) {
  return mat<2, R, T, Q>(a * b.value[0], a * b.value[1]);
}
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<2, R, T, Q> outerProduct(const vec<R, T, Q> &c, const vec<2, T, Q> &r) { return mat<2, R, T, Q>(c * r.x, c * r.y); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<3, R, T, Q> operator-(const mat<3, R, T, Q> &a) { return mat<3, R, T, Q>(-a.value[0], -a.value[1], -a.value[2]); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<3, R, T, Q> operator+(const mat<3, R, T, Q> &a, const mat<3, R, T, Q> &b) { return mat<3, R, T, Q>(a.value[0] + b.value[0], a.value[1] + b.value[1], a.value[2] + b.value[2]); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<3, R, T, Q> operator-(const mat<3, R, T, Q> &a, const mat<3, R, T, Q> &b) { return mat<3, R, T, Q>(a.value[0] - b.value[0], a.value[1] - b.value[1], a.value[2] - b.value[2]); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<3, R, T, Q> operator*(const mat<3, R, T, Q> &a, T s) { return mat<3, R, T, Q>(a.value[0] * s, a.value[1] * s, a.value[2] * s); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<3, R, T, Q> operator*(T s, const mat<3, R, T, Q> &a) { return mat<3, R, T, Q>(a.value[0] * s, a.value[1] * s, a.value[2] * s); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<3, R, T, Q> operator/(const mat<3, R, T, Q> &a, T s) { return mat<3, R, T, Q>(a.value[0] / s, a.value[1] / s, a.value[2] / s); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline vec<R, T, Q> operator*(const mat<3, R, T, Q> &a, const vec<3, T, Q> &v) {
  return a.value[0] * v.x + a.value[1] * v.y + a.value[2] * v.z;
}
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline vec<3, T, Q> operator*(const vec<R, T, Q> &v, const mat<3, R, T, Q> &a) {
  return vec<3, T, Q>(dot(v, a.value[0]), dot(v, a.value[1]), dot(v, a.value[2]));
}
template <length_t C, length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<3, R, T, Q> operator*(const mat<C, R, T, Q> &a, const mat<3, C, T, Q> &b) {
  return mat<3, R, T, Q>(a * b.value[0], a * b.value[1], a * b.value[2]);
}
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<3, R, T, Q> outerProduct(const vec<R, T, Q> &c, const vec<3, T, Q> &r) { return mat<3, R, T, Q>(c * r.x, c * r.y, c * r.z); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<4, R, T, Q> operator-(const mat<4, R, T, Q> &a) { return mat<4, R, T, Q>(-a.value[0], -a.value[1], -a.value[2], -a.value[3]); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<4, R, T, Q> operator+(const mat<4, R, T, Q> &a, const mat<4, R, T, Q> &b) { return mat<4, R, T, Q>(a.value[0] + b.value[0], a.value[1] + b.value[1], a.value[2] + b.value[2], a.value[3] + b.value[3]); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<4, R, T, Q> operator-(const mat<4, R, T, Q> &a, const mat<4, R, T, Q> &b) { return mat<4, R, T, Q>(a.value[0] - b.value[0], a.value[1] - b.value[1], a.value[2] - b.value[2], a.value[3] - b.value[3]); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<4, R, T, Q> operator*(const mat<4, R, T, Q> &a, T s) { return mat<4, R, T, Q>(a.value[0] * s, a.value[1] * s, a.value[2] * s, a.value[3] * s); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<4, R, T, Q> operator*(T s, const mat<4, R, T, Q> &a) { return mat<4, R, T, Q>(a.value[0] * s, a.value[1] * s, a.value[2] * s, a.value[3] * s); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<4, R, T, Q> operator/(const mat<4, R, T, Q> &a, T s) { return mat<4, R, T, Q>(a.value[0] / s, a.value[1] / s, a.value[2] / s, a.value[3] / s); }
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline vec<R, T, Q> operator*(const mat<4, R, T, Q> &a, const vec<4, T, Q> &v) {
  return a.value[0] * v.x + a.value[1] * v.y + a.value[2] * v.z + a.value[3] * v.w;
}
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline vec<4, T, Q> operator*(const vec<R, T, Q> &v, const mat<4, R, T, Q> &a) {
  return vec<4, T, Q>(dot(v, a.value[0]), dot(v, a.value[1]), dot(v, a.value[2]), dot(v, a.value[3]));
}
template <length_t C, length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<4, R, T, Q> operator*(const mat<C, R, T, Q> &a, const mat<4, C, T, Q> &b) {
  return mat<4, R, T, Q>(a * b.value[0], a * b.value[1], a * b.value[2], a * b.value[3]);
}
template <length_t R, typename T, qualifier Q>
__host__ __device__ inline mat<4, R, T, Q> outerProduct(const vec<R, T, Q> &c, const vec<4, T, Q> &r) { return mat<4, R, T, Q>(c * r.x, c * r.y, c * r.z, c * r.w); }
template <typename T, qualifier Q>
__host__ __device__ inline mat<2, 2, T, Q> transpose(const mat<2, 2, T, Q> &m) {
  return mat<2, 2, T, Q>(m.value[0].x, m.value[1].x, m.value[0].y, m.value[1].y);
}
template <typename T, qualifier Q>
__host__ __device__ inline mat<3, 2, T, Q> transpose(const mat<2, 3, T, Q> &m) {
  return mat<3, 2, T, Q>(m.value[0].x, m.value[1].x, m.value[0].y, m.value[1].y, m.value[0].z, m.value[1].z);
}
template <typename T, qualifier Q>
__host__ __device__ inline mat<2, 3, T, Q> transpose(const mat<3, 2, T, Q> &m) {
  return mat<2, 3, T, Q>(m.value[0].x, m.value[1].x, m.value[2].x, m.value[0].y, m.value[1].y, m.value[2].y);
}
template <typename T, qualifier Q>
__host__ __device__ inline mat<3, 3, T, Q> transpose(const mat<3, 3, T, Q> &m) {
  return mat<3, 3, T, Q>(m.value[0].x, m.value[1].x, m.value[2].x, m.value[0].y, m.value[1].y, m.value[2].y, m.value[0].z, m.value[1].z, m.value[2].z);
}
template <typename T, qualifier Q>
__host__ __device__ inline mat<4, 3, T, Q> transpose(const mat<3, 4, T, Q> &m) {
  return mat<4, 3, T, Q>(m.value[0].x, m.value[1].x, m.value[2].x, m.value[0].y, m.value[1].y, m.value[2].y, m.value[0].z, m.value[1].z, m.value[2].z, m.value[0].w, m.value[1].w, m.value[2].w);
}
template <typename T, qualifier Q>
__host__ __device__ inline mat<3, 4, T, Q> transpose(const mat<4, 3, T, Q> &m) {
  return mat<3, 4, T, Q>(m.value[0].x, m.value[1].x, m.value[2].x, m.value[3].x, m.value[0].y, m.value[1].y, m.value[2].y, m.value[3].y, m.value[0].z, m.value[1].z, m.value[2].z, m.value[3].z);
}
template <typename T, qualifier Q>
__host__ __device__ inline mat<4, 4, T, Q> transpose(const mat<4, 4, T, Q> &m) {
  return mat<4, 4, T, Q>(m.value[0].x, m.value[1].x, m.value[2].x, m.value[3].x, m.value[0].y, m.value[1].y, m.value[2].y, m.value[3].y, m.value[0].z, m.value[1].z, m.value[2].z, m.value[3].z, m.value[0].w, m.value[1].w, m.value[2].w, m.value[3].w);
}
template <typename T, qualifier Q>
__host__ __device__ inline T determinant(const mat<2, 2, T, Q> &m) {
  return m.value[0].x * m.value[1].y - m.value[1].x * m.value[0].y;
}
template <typename T, qualifier Q>
__host__ __device__ inline T determinant(const mat<3, 3, T, Q> &m) {
  return dot(m.value[0], cross(m.value[1], m.value[2]));
}
template <typename T, qualifier Q>
__host__ __device__ inline mat<2, 2, T, Q> inverse(const mat<2, 2, T, Q> &m) {
  T s = T(1) / determinant(m);
  return mat<2, 2, T, Q>(m.value[1].y * s, -m.value[0].y * s, -m.value[1].x * s, m.value[0].x * s);
}
template <typename T, qualifier Q>
__host__ __device__ inline mat<3, 3, T, Q> inverse(const mat<3, 3, T, Q> &m) {
  T s = T(1) / determinant(m);
  return transpose(mat<3, 3, T, Q>(cross(m.value[1], m.value[2]) * s, cross(m.value[2], m.value[0]) * s,
                                   cross(m.value[0], m.value[1]) * s));
}
template <typename T, qualifier Q>
__host__ __device__ mat<4, 4, T, Q> inverse(const mat<4, 4, T, Q> &m);

template <typename T, qualifier Q>
struct qua {
  typedef T value_type;
  T x, y, z, w;
  qua() = default;
  __host__ __device__ qua(T w, T x, T y, T z) : x(x), y(y), z(z), w(w) {}
  __host__ __device__ T &operator[](length_t i) { return (&x)[i]; }
  __host__ __device__ const T &operator[](length_t i) const { return (&x)[i]; }
};

template <typename T>
__host__ __device__ inline vec<2, T, defaultp> make_vec2(const T *p) {
  vec<2, T, defaultp> v;
  memcpy(&v, p, sizeof(v));
  return v;
}
template <typename T>
__host__ __device__ inline vec<3, T, defaultp> make_vec3(const T *p) {
  vec<3, T, defaultp> v;
  memcpy(&v, p, sizeof(v));
  return v;
}
template <typename T>
__host__ __device__ inline vec<4, T, defaultp> make_vec4(const T *p) {
  vec<4, T, defaultp> v;
  memcpy(&v, p, sizeof(v));
  return v;
}
template <typename T>
__host__ __device__ inline mat<2, 2, T, defaultp> make_mat2(const T *p) {
  mat<2, 2, T, defaultp> m;
  memcpy(&m, p, sizeof(m));
  return m;
}
template <typename T>
__host__ __device__ inline mat<3, 3, T, defaultp> make_mat3(const T *p) {
  mat<3, 3, T, defaultp> m;
  memcpy(&m, p, sizeof(m));
  return m;
}
template <typename T>
__host__ __device__ inline mat<4, 4, T, defaultp> make_mat4(const T *p) {
  mat<4, 4, T, defaultp> m;
  memcpy(&m, p, sizeof(m));
  return m;
}
template <typename T>
__host__ __device__ inline mat<2, 2, T, defaultp> make_mat2x2(const T *p) {
  mat<2, 2, T, defaultp> m;
  memcpy(&m, p, sizeof(m));
  return m;
}
template <typename T>
__host__ __device__ inline mat<2, 3, T, defaultp> make_mat2x3(const T *p) {
  mat<2, 3, T, defaultp> m;
  memcpy(&m, p, sizeof(m));
  return m;
}
template <typename T>
__host__ __device__ inline mat<3, 2, T, defaultp> make_mat3x2(const T *p) {
  mat<3, 2, T, defaultp> m;
  memcpy(&m, p, sizeof(m));
  return m;
}
template <typename T>
__host__ __device__ inline mat<3, 3, T, defaultp> make_mat3x3(const T *p) {
  mat<3, 3, T, defaultp> m;
  memcpy(&m, p, sizeof(m));
  return m;
}
template <typename T>
__host__ __device__ inline mat<3, 4, T, defaultp> make_mat3x4(const T *p) {
  mat<3, 4, T, defaultp> m;
  memcpy(&m, p, sizeof(m));
  return m;
}
template <typename T>
__host__ __device__ inline mat<4, 3, T, defaultp> make_mat4x3(const T *p) {
  mat<4, 3, T, defaultp> m;
  memcpy(&m, p, sizeof(m));
  return m;
}
template <typename T>
__host__ __device__ inline mat<4, 4, T, defaultp> make_mat4x4(const T *p) {
  mat<4, 4, T, defaultp> m;
  memcpy(&m, p, sizeof(m));
  return m;
}
template <typename T, qualifier Q>
__host__ __device__ inline T *value_ptr(vec<2, T, Q> &v) { return &v.x; }
template <typename T, qualifier Q>
__host__ __device__ inline const T *value_ptr(const vec<2, T, Q> &v) { return &v.x; }
template <typename T, qualifier Q>
__host__ __device__ inline T *value_ptr(vec<3, T, Q> &v) { return &v.x; }
template <typename T, qualifier Q>
__host__ __device__ inline const T *value_ptr(const vec<3, T, Q> &v) { return &v.x; }
template <typename T, qualifier Q>
__host__ __device__ inline T *value_ptr(vec<4, T, Q> &v) { return &v.x; }
template <typename T, qualifier Q>
__host__ __device__ inline const T *value_ptr(const vec<4, T, Q> &v) { return &v.x; }
template <length_t C, length_t R, typename T, qualifier Q>
__host__ __device__ inline T *value_ptr(mat<C, R, T, Q> &m) { return &m.value[0].x; }
template <length_t C, length_t R, typename T, qualifier Q>
__host__ __device__ inline const T *value_ptr(const mat<C, R, T, Q> &m) { return &m.value[0].x; }
typedef vec<2, float, defaultp> vec2;
typedef vec<3, float, defaultp> vec3;
typedef vec<4, float, defaultp> vec4;
typedef vec<2, double, defaultp> dvec2;
typedef vec<3, double, defaultp> dvec3;
typedef vec<4, double, defaultp> dvec4;
typedef vec<2, int, defaultp> ivec2;
typedef vec<3, int, defaultp> ivec3;
typedef vec<4, int, defaultp> ivec4;
typedef vec<2, unsigned int, defaultp> uvec2;
typedef vec<3, unsigned int, defaultp> uvec3;
typedef vec<4, unsigned int, defaultp> uvec4;
typedef vec<2, bool, defaultp> bvec2;
typedef vec<3, bool, defaultp> bvec3;
typedef vec<4, bool, defaultp> bvec4;
typedef vec<2, float, defaultp> fvec2;
typedef vec<2, unsigned char, defaultp> u8vec2;
typedef vec<2, signed char, defaultp> i8vec2;
typedef vec<2, unsigned short, defaultp> u16vec2;
typedef vec<2, short, defaultp> i16vec2;
typedef vec<2, unsigned int, defaultp> u32vec2;
typedef vec<2, int, defaultp> i32vec2;
typedef vec<2, unsigned long, defaultp> u64vec2;
typedef vec<2, long, defaultp> i64vec2;
typedef vec<2, float, defaultp> f32vec2;
typedef vec<2, double, defaultp> f64vec2;
typedef vec<3, float, defaultp> fvec3;
typedef vec<3, unsigned char, defaultp> u8vec3;
typedef vec<3, signed char, defaultp> i8vec3;
typedef vec<3, unsigned short, defaultp> u16vec3;
typedef vec<3, short, defaultp> i16vec3;
typedef vec<3, unsigned int, defaultp> u32vec3;
typedef vec<3, int, defaultp> i32vec3;
typedef vec<3, unsigned long, defaultp> u64vec3;
typedef vec<3, long, defaultp> i64vec3;
typedef vec<3, float, defaultp> f32vec3;
typedef vec<3, double, defaultp> f64vec3;
typedef vec<4, float, defaultp> fvec4;
typedef vec<4, unsigned char, defaultp> u8vec4;
typedef vec<4, signed char, defaultp> i8vec4;
typedef vec<4, unsigned short, defaultp> u16vec4;
typedef vec<4, short, defaultp> i16vec4;
typedef vec<4, unsigned int, defaultp> u32vec4;
typedef vec<4, int, defaultp> i32vec4;
typedef vec<4, unsigned long, defaultp> u64vec4;
typedef vec<4, long, defaultp> i64vec4;
typedef vec<4, float, defaultp> f32vec4;
typedef vec<4, double, defaultp> f64vec4;
typedef mat<2, 2, float, defaultp> mat2;
typedef mat<2, 2, float, defaultp> mat2x2;
typedef mat<2, 3, float, defaultp> mat2x3;
typedef mat<3, 3, float, defaultp> mat3;
typedef mat<3, 2, float, defaultp> mat3x2;
typedef mat<3, 3, float, defaultp> mat3x3;
typedef mat<3, 4, float, defaultp> mat3x4;
typedef mat<4, 4, float, defaultp> mat4;
typedef mat<4, 3, float, defaultp> mat4x3;
typedef mat<4, 4, float, defaultp> mat4x4;
typedef mat<2, 2, double, defaultp> dmat2;
typedef mat<2, 2, double, defaultp> dmat2x2;
typedef mat<2, 3, double, defaultp> dmat2x3;
typedef mat<3, 3, double, defaultp> dmat3;
typedef mat<3, 2, double, defaultp> dmat3x2;
typedef mat<3, 3, double, defaultp> dmat3x3;
typedef mat<3, 4, double, defaultp> dmat3x4;
typedef mat<4, 4, double, defaultp> dmat4;
typedef mat<4, 3, double, defaultp> dmat4x3;
typedef mat<4, 4, double, defaultp> dmat4x4;
typedef qua<float, defaultp> quat;
typedef qua<double, defaultp> dquat;

}  // namespace glm
