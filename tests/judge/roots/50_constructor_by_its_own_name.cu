// Within a class template its own name makes another object; it does not construct `*this` again.
template <class T> struct Vec50 {
  T x, y;
  __device__ Vec50(T x, T y) : x(x), y(y) {}
  __device__ Vec50 operator+(Vec50 o) const { return Vec50(x + o.x, y + o.y); }
};
__global__ void r50_own_name(float *a) {
  int t = threadIdx.x;
  Vec50<int> p(1, 2), q = p + p;
  a[t * q.y] = 1;
  a[t * p.y] = 2;
}
