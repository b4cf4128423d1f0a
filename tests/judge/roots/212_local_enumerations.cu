// Enumerations of functions: scoped ones leave the names around them alone, values and types are those of C++.
template <class T> struct Tr { static constexpr int v = 2; };
template <> struct Tr<int> { static constexpr int v = 4; };
__device__ int f(int) { return 4; }
template <class T> __device__ int f(T) { return 2; }
struct L {
  int v;
  __host__ __device__ constexpr operator int() const { return v; }
};
//@ launch k grid=(2) block=(64) args(a=f32[65536], n=?5)
__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  int b = t * 2;
  enum class Z : short { x, b = 3 };
  a[b] = 1;
  constexpr L lw{6};
  enum { A = 1, B = lw };
  a[t * B] = 1;
  enum { C = "abc"[1] - 'a' + 3, D };
  a[t * D] = 1;
  enum { HI = 0x80000000 };
  a[t * (HI >> 29)] = 1;
  enum W { TOP = 1ull << 40 };
  a[t * (int)(TOP >> 39)] = 1;
  a[t * sizeof(W)] = 1;
  enum Q : int { q = 1 };
  a[t * Tr<Q>::v] = 1;
  a[t * f(q)] = 1;
}
