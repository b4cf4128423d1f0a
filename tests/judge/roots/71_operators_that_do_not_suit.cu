// An operator of the user's that does not take the operands is not meant, also where it is the only one: the built-in
// one is, on what the class converts to. And a choice of two objects is one of them, not a copy, where it is converted
// by a function that changes it.
//@ launch scoped grid=(1) block=(64) args(a=i32[1024], b=i32[1024])
//@ launch plain grid=(1) block=(64) args(a=i32[1024], b=i32[1024])
//@ launch member grid=(1) block=(64) args(a=i32[1024], b=i32[1024])
//@ launch chosen grid=(1) block=(64) args(a=i32[1024], b=i32[1024])
//@ launch made grid=(1) block=(64) args(a=i32[1024], b=i32[1024])
template <int N>
struct Int {
  __device__ constexpr operator int() const { return N; }
};
enum class Order { Up = 6, Down = 2 };
template <class T>
__device__ T operator+(const T &x, Order s) {
  return T();
}
__global__ void scoped(int *a, const int *b) {
  __shared__ int s[1024];
  int t = threadIdx.x;
  a[t] = s[(Int<36>{} + t * 8) & 1023];
}
enum Direction { left, right = 5 };
struct Vec {
  int x;
  __device__ operator int() const { return x; }
  __device__ Vec operator*(Vec o) const { return Vec{x + o.x}; }
};
__device__ Vec operator-(Vec v, Direction d) { return Vec{v.x}; }
__global__ void plain(int *a, const int *b) {
  __shared__ int s[1024];
  int t = threadIdx.x;
  Vec v{1024};
  a[t] = s[(v - t * 4) & 1023];
}
struct Turn {
  int x;
  __device__ operator int() const { return x; }
  __device__ int operator*(Order o) const { return 1; }
};
__global__ void member(int *a, const int *b) {
  __shared__ int s[1024];
  int t = threadIdx.x;
  Turn turn{t};
  a[t] = s[(turn * 16) & 1023] + s[turn * Order::Up];
}
struct To {
  int p;
  __device__ operator int &() {
    p += 4;
    return p;
  }
};
__device__ int unread(const int &) { return 4; }
__global__ void chosen(int *a, const int *b) {
  int t = threadIdx.x;
  To x{3}, y{3};
  int q = unread(t > 40 ? x : y);
  a[t] = b[x.p * t] + b[y.p * t] + q;
}
struct Counted {
  int p;
};
struct Taken {
  int q;
  __device__ Taken(Counted &c) : q(c.p++) {}
};
__device__ int taken(Taken t) { return t.q; }
__global__ void made(int *a, const int *b) {
  int t = threadIdx.x;
  Counted x{3}, y{3};
  int q = taken(t > 40 ? x : y);
  a[t] = b[x.p * t] + b[y.p * t] + q;
}
