// A constant of the namespace has the name of a static member that a base has which depends on a parameter.
constexpr int z = 2;
struct HasZ { static constexpr int z = 3; };
struct En { enum { z = 3 }; };
template <class B> struct Dep : B { __device__ int go() { return this->z; } };
template <int N> struct Tile { static constexpr int z = N; };
template <int N> struct Dt : Tile<N> {
  __device__ int go() { return this->z; }
  __device__ int other() { Dt d; return d.z; }
};
//@ launch k grid=(2) block=(64) args(a=f32[65536], n=?5)
__global__ void k(float *a, int n) {
  a[threadIdx.x * Dep<HasZ>().go()] = 1;
  a[threadIdx.x * Dep<En>().go()] = 1;
  a[threadIdx.x * Dt<3>().go()] = 1;
  a[threadIdx.x * Dt<3>().other()] = 1;
}
