// `T (*f)(T) = g;` with a named type `T` begins an expression for the grammar: a call of what a call gives, assigned to. So no `f` is declared:
// calls behind are told of another `f` in sight, and what stands behind a comma assigns outer variables. With `int`, `auto` it is right.
typedef int real;
__device__ int twice(int x) { return x + 2; }
__device__ int more(int x) { return x + 3; }
__device__ int op(int x) { return x; }
template <class T> __device__ T apply(T x) {
  T (*op)(T) = more;
  return op(x);
}
template <class T> __device__ int keeps(T x) {
  int n = 1;
  {
    T (*f)(T) = more, n = 4;
  }
  return n;
}
__global__ void hides(int *a) {
  int n = 1;
  {
    real (*op)(real) = more;
    a[threadIdx.x * op(n)] = 1;
  }
  a[threadIdx.x * op(n) + 4096] = 1;
}
__global__ void reference(int *a) {
  real (&op)(real) = more;
  a[threadIdx.x * op(1)] = 1;
}
__global__ void table(int *a) {
  int n = 1;
  {
    real (*op[2])(real) = {twice, more}, n = 3;
    a[threadIdx.x] = n;
  }
  a[threadIdx.x * n + 4096] = 1;
}
__global__ void goes_on(int *a) {
  int n = 1;
  {
    real (*f)(real) = twice, n = 2;
    a[threadIdx.x * n] = f(1);
  }
  a[threadIdx.x * n + 4096] = 1;
}
__global__ void loop(int *a) {
  int (*f)(int) = twice, n = 1;
  for (real (*f)(real) = more, n = 2; n < 3; n++) a[threadIdx.x * f(1)] = 1;
  a[threadIdx.x * n + 4096] = 1;
}
__global__ void initialised(int *a, int m) {
  int (*f)(int) = twice;
  if (real (*f)(real) = more; m > 0) a[threadIdx.x * f(1)] = 1;
}
__global__ void templates(int *a) { a[threadIdx.x * apply(1)] = 1; }
__global__ void templates2(int *a) { a[threadIdx.x * keeps(1)] = 1; }
__global__ void given(int *a, int n) { a[threadIdx.x * n] = 1; }
int main() {
  int *a, n = 1;
  cudaMalloc(&a, 1 << 20);
  hides<<<1, 32>>>(a);
  reference<<<1, 32>>>(a);
  table<<<1, 32>>>(a);
  goes_on<<<1, 32>>>(a);
  loop<<<1, 32>>>(a);
  initialised<<<1, 32>>>(a, 1);
  templates<<<1, 32>>>(a);
  templates2<<<1, 32>>>(a);
  {
    real (*f)(real) = 0, n = 2;
    given<<<1, 32>>>(a, n);
  }
  given<<<1, 32>>>(a + 4096, n + 3);
}
