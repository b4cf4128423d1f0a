// In a list of template arguments that is not read by itself (outside of bodies, or with a type in it) `<` without a space beside it
// becomes `|` (angles.rs `compare_in_list`), which groups wrongly beside another `|`; what stands in parentheses is not looked through.
constexpr int N = 3, M = 4;
template <int K> struct H {
  static constexpr int v = K;
};
template <class T, int K> struct F {
  static constexpr int v = K;
};
template <class T, int K> __device__ int f() { return K; }
constexpr int g = H<M|N<4>::v;
constexpr int h = H<2^(M)-N<4>::v;
template <int A, int B = A|N<2> struct Default {
  static constexpr int v = B;
};
template <int A> struct Base : H<A|N<4> {};
struct Members {
  enum { e = H<M|N<4>::v };
  int all[H<M|N<4>::v];
};
__global__ void constant(int *a) { a[threadIdx.x * g] = 1; }
__global__ void through(int *a) { a[threadIdx.x * h] = 1; }
__global__ void by_default(int *a) { a[threadIdx.x * Default<5>::v] = 1; }
__global__ void base(int *a) { a[threadIdx.x * Base<4>::v] = 1; }
__global__ void members(int *a) { a[threadIdx.x * (Members::e + sizeof(Members) / 20)] = 1; }
__global__ void beside_a_type(int *a) { a[threadIdx.x * F<int, M|N<4>::v] = 1; }
__global__ void called(int *a) { a[threadIdx.x * f<int, M|N<4>()] = 1; }
__global__ void variable(int *a) {
  F<int, M|N<4> q;
  a[threadIdx.x * q.v] = 1;
}
int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  constant<<<1, 32>>>(a);
  through<<<1, 32>>>(a);
  by_default<<<1, 32>>>(a);
  base<<<1, 32>>>(a);
  members<<<1, 32>>>(a);
  beside_a_type<<<1, 32>>>(a);
  called<<<1, 32>>>(a);
  variable<<<1, 32>>>(a);
}
