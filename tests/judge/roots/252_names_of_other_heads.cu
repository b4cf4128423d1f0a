// A member that is defined outside of its class does not see the names that the class gives its parameters.
constexpr int W = 7; using T = double; struct Tr { static constexpr int n = 6; }; __host__ __device__ inline int K() { return 5; }
template <int W> struct G1 { __device__ int f(); template <int V> __device__ int g(); struct I { __device__ int h(); }; static const int s; };
template <int X> __device__ int G1<X>::f() { return X * W; }
template <int X> template <int Y> __device__ int G1<X>::g() { return W; }
template <int X> __device__ int G1<X>::I::h() { return W; }
template <int X> const int G1<X>::s = W;
template <class T> struct G2 { __device__ int f(); }; template <class U> __device__ int G2<U>::f() { return sizeof(T); }
template <class Tr> struct G3 { __device__ int f(); }; template <class U> __device__ int G3<U>::f() { return Tr::n; }
template <int W, int N> struct G4 { __device__ int f(); }; template <int N, int W> __device__ int G4<N, W>::f() { return N * 2 + W; }
template <int W, int N> struct G5 { __device__ int f(); }; template <int N, int M> __device__ int G5<N, M>::f() { return N + W; }
__global__ void k1(int *a) { int t = threadIdx.x; a[t * G1<1>().f()] = 0; }
__global__ void k2(int *a) { int t = threadIdx.x; a[t * G1<2>().g<3>()] = 0; }
__global__ void k3(int *a) { int t = threadIdx.x; G1<3>::I i; a[t * i.h()] = 0; }
__global__ void k4(int *a) { int t = threadIdx.x; a[t * G1<3>::s] = 0; }
__global__ void k5(int *a) { int t = threadIdx.x; a[t * G2<char>().f()] = 0; }
struct M2 { static constexpr int n = 2; };
__global__ void k6(int *a) { int t = threadIdx.x; a[t * G3<M2>().f()] = 0; }
__global__ void k7(int *a) { int t = threadIdx.x; a[t * G4<3, 1>().f()] = 0; }
__global__ void k8(int *a) { int t = threadIdx.x; a[t * G5<1, 2>().f() / 2] = 0; }
