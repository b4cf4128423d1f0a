// As 06 beside `==`, `!=`, `&`, `^`: `@` is put for `<`, and the error node that the grammar makes of `@ 4` is dropped in silence:
// `H<N<4==1>` is read as `H<N == 1>`, `H<2^N<4>` as `H<2 ^ N>`.
constexpr int N = 3;
template <int K> struct H {
  static constexpr int v = K;
};
constexpr int equal = H<N<4==1>::v + 1;
constexpr int equal_from_left = H<1==N<4>::v + 1;
constexpr int exclusive = H<2^N<4>::v;
constexpr int both = H<2&N<4>::v + 2;
constexpr int through = H<N<4*(2)==1>::v + 1;
template <class T, bool K = sizeof(T)<8 == true> struct Small {
  static constexpr int v = K + 1;
};
template <int A, bool K = A<4 == A<5> struct Same {
  static constexpr int v = K + 1;
};
__global__ void k6(int *a) { a[threadIdx.x * Small<int>::v] = 1; }
__global__ void k7(int *a) { a[threadIdx.x * Same<3>::v] = 1; }
__global__ void k1(int *a) { a[threadIdx.x * equal] = 1; }
__global__ void k2(int *a) { a[threadIdx.x * equal_from_left] = 1; }
__global__ void k3(int *a) { a[threadIdx.x * exclusive] = 1; }
__global__ void k4(int *a) { a[threadIdx.x * both] = 1; }
__global__ void k5(int *a) { a[threadIdx.x * through] = 1; }
int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  k1<<<1, 32>>>(a);
  k2<<<1, 32>>>(a);
  k3<<<1, 32>>>(a);
  k4<<<1, 32>>>(a);
  k5<<<1, 32>>>(a);
  k6<<<1, 32>>>(a);
  k7<<<1, 32>>>(a);
}
