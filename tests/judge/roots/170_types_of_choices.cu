// The type of a choice is that of both sides: where one is not known, the other does not tell it.
struct S {
  __device__ operator int() const {
    return 3;
  }
  __device__ S &operator++() {
    return *this;
  }
};
template <class T> __device__ auto next(T x) {
  return x + 1;
}
__device__ short one(char) {
  return 1;
}
__device__ int data[5];
//@ launch k grid=(1) block=(32) args(a=f32[65536])
__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  char c = 1;
  float f = 2;
  S s;
  auto twice = [](auto x) { return x * 2; };
  a[(sizeof(n ? twice(f) : one(c)) == 4 ? 2 : 1) * t] = 1;
  a[(sizeof(n ? next(c) : one(c)) == 4 ? 2 : 1) * t] = 1;
  a[(sizeof(n ? one(c) : next(c)) == 4 ? 2 : 1) * t] = 1;
  a[(sizeof(n ? s : 1ul) == 8 ? 2 : 1) * t] = 1;
  a[(sizeof(n ? ++s : 1) == 4 ? 2 : 1) * t] = 1;
  a[(sizeof(+data) == 8 ? 2 : 1) * t] = 1;
  a[(sizeof(n ? nullptr : data) == 8 ? 2 : 1) * t] = 1;
  a[(sizeof(*(n ? nullptr : data)) == 4 ? 2 : 1) * t] = 1;
}
