// Arguments of a class template that its constructors or guides tell: what is not worked out is anything in each lane.
template <class T> struct Box { T v; Box(T) = delete; __device__ explicit constexpr Box(T x, int) : v(x) {} }; 
template <class T> Box(T, int) -> Box<T>;
template <class T> struct Bx2 { T v; __device__ Bx2(T x, int) : v(x) {} }; 
template <class T> struct Bx3 { T v; T w[2]; }; template <class T> Bx3(T, T, T) -> Bx3<T>;
__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  Box b(t, 1);
  a[b.v * 2] = 3;
  Box<int> c(t, 1);
  a[c.v * 2] = 3;
  Bx2 d(t, 1);
  a[d.v * 2] = 3;
  Bx3 e{t, 1, 2};
  a[e.v * 2] = 3;
}
int main() { float *a; cudaMalloc(&a, 9999); k<<<1, 32>>>(a, 3); }
