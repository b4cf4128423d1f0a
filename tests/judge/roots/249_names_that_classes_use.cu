// A using-declaration of a class brings in types, too.
struct P0 { using T = char; typedef char T2; struct In { static constexpr int v = 2; }; };
struct P1 : P0 { using T = int; typedef int T2; struct In { static constexpr int v = 6; }; };
struct P2 : P1 { using P0::T; using P0::T2; using P0::In; };
__global__ void k1(int *a) { int t = threadIdx.x; a[t * sizeof(P2::T)] = 0; }
__global__ void k2(int *a) { int t = threadIdx.x; a[t * sizeof(P2::T2)] = 0; }
__global__ void k3(int *a) { int t = threadIdx.x; a[t * P2::In::v] = 0; }
struct Q1 { using T = int; static constexpr int n = 5; }; struct Q0 { using T = char; static constexpr int n = 2; };
template <class A, class B> struct Q4 : A, B { using typename B::T; using A::n; };
template <class P> __global__ void k4(typename P::T *p) { int t = threadIdx.x; p[t] = 0; }
template __global__ void k4<Q4<Q0, Q1>>(int *);
__global__ void k5(int *a) { int t = threadIdx.x; a[t * sizeof(typename Q4<Q1, Q0>::T)] = 0; }
