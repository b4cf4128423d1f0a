// What an enumeration of a class brings in: friends of the class and functions of the namespace around.
struct Dir { enum K { N = 1, E = 2 }; friend __host__ __device__ constexpr int operator*(K, int) { return 5; } friend __host__ __device__ constexpr K operator+(K a, int b) { return K((int(a) + b) & 3); } friend __host__ __device__ constexpr int operator~(K a) { return 6; } friend __host__ __device__ int bytes(K) { return 3; } };
__host__ __device__ int bytes(int) { return 7; }
__global__ void k1(int *a) { int t = threadIdx.x; a[t * (Dir::N * 4)] = 0; }
__global__ void k2(int *a) { int t = threadIdx.x; a[t * (1 + (Dir::E + 3))] = 0; }
__global__ void k3(int *a) { int t = threadIdx.x; a[t * ~Dir::E] = 0; }
__global__ void k4(int *a, Dir::K k) { int t = threadIdx.x; a[t * (k * 4)] = 0; }
__global__ void k5(int *a) { int t = threadIdx.x; a[t * bytes(Dir::E)] = 0; }
__global__ void k6(int *a) { int t = threadIdx.x; Dir::K k = Dir::E; a[t * (k * 4)] = 0; a[t * bytes(k)] = 0; }
struct S { enum class F { A = 2 }; friend __host__ __device__ constexpr F operator|(F a, F b) { return F(5); } };
__global__ void k7(int *a) { int t = threadIdx.x; a[t * (int)(S::F::A | S::F::A)] = 0; S::F f = S::F::A; a[t * (int)(f | f)] = 0; }
