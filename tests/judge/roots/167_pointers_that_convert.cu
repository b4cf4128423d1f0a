// A pointer to void gets `const` as any other, `nullptr` is no pointer, a pointer to a function is none to data.
struct B {};
enum E { e0 };
template <class T> struct V {
  T t;
};
__device__ int numbers[4];
template <class T> __device__ int f1(const T *) { return 1; }
template <class... T> __device__ int f1(T...) { return 2; }
template <class T> __device__ int f2(const T *) { return 1; }
template <class R, class Q> __device__ int f2(R (*)(Q)) { return 2; }
template <class T> __device__ int f3(const T &) { return 1; }
template <class R, class Q> __device__ int f3(R (*)(Q)) { return 2; }
template <class T> __device__ int f4(const T *) { return 1; }
__device__ int f4(B *) { return 2; }
__device__ int f5(decltype(nullptr) &&) { return 1; }
__device__ int f5(const void *, int = 0) { return 2; }
template <class T> __device__ int f6(T &) { return 1; }
__device__ int f6(const char *&&) { return 2; }
template <class T> __device__ int f6(T *) { return 3; }
__device__ int f7(const wchar_t &) { return 1; }
__device__ int f7(char &&) { return 2; }
template <class T> __device__ int f8(const T &) { return 1; }
template <class T> __device__ int f8(T &&) { return 2; }
__device__ int f9(const void *) { return 1; }
__device__ int f9(bool) { return 2; }
template <class T> __device__ int f10(T &&) { return 1; }
template <class T> __device__ int f10(const T *) { return 2; }
//@ launch calls grid=(1) block=(32) args(a=f32[65536])
__global__ void calls(float *a) {
  int t = threadIdx.x;
  float (*function)(int) = nullptr;
  a[f1((void *)0) * t] = 1;
  a[f1(nullptr) * t] = 1;
  a[f2(function) * t] = 1;
  a[f3(function) * t] = 1;
  a[f4(nullptr) * t] = 1;
  a[f5(nullptr) * t] = 1;
  a[f6("s") * t] = 1;
  a[f7(e0) * t] = 1;
  a[f8(numbers) * t] = 1;
  a[f9(function) * t] = 1;
  a[f10((void *)numbers) * t] = 1;
  a[f10(nullptr) * t] = 1;
}
