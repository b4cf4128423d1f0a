// Numbers are no values of a scoped enumeration, and its values are no numbers.
//@ launch r09_overload_by_enumeration grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
enum class Op { Add, Max };
template <typename T, Op A, int width = 2>
__device__ void put(T *p) {
  p[threadIdx.x * width] = 1;
}
template <typename T, Op A, Op B, int width = 4>
__device__ void put(T *p) {
  p[threadIdx.x * width] = 2;
}
template <typename T, int total, Op... Ops>
__device__ void put_all(T *p) {
  put<T, Ops...>(p);
  put<T, Ops..., total>(p + 4096);
}
__global__ void r09_overload_by_enumeration(float *a, const int *d, int n, int m) {
  put_all<float, 8, Op::Add>(a);
  put_all<float, 3, Op::Add, Op::Max>(a + 8192);
  put<float, Op::Max, 16>(a + 16384);
}
