// Members that are defined outside of a partial specialisation, with names of their own for its parameters.
template <class T, int W> struct B { __host__ __device__ int f(); };
template <class T, int W> __host__ __device__ int B<T, W>::f() { return W + sizeof(T); }
template <class T, int N> struct B<T *, N> { __host__ __device__ int f(); };
template <class U, int M> __host__ __device__ int B<U *, M>::f() { return M * 2 + sizeof(U); }
__global__ void k1(int *a) { int t = threadIdx.x; a[t * B<short *, 2>().f()] = 0; }
template <class T> struct E { __host__ __device__ int f(); }; template <class T> __host__ __device__ int E<T>::f() { return 7; } template <class T> struct E<const T> { __host__ __device__ int f(); }; template <class U> __host__ __device__ int E<const U>::f() { return sizeof(U) + 1; }
__global__ void k2(int *a) { int t = threadIdx.x; a[t * E<const short>().f()] = 0; }
template <class T> struct G { __host__ __device__ int f(); }; template <class T> struct G<T *> { __host__ __device__ int f(); }; template <class U> __host__ __device__ int G<U *>::f() { return sizeof(U); }
__global__ void k3(int *a) { int t = threadIdx.x; a[t * G<short *>().f()] = 0; }
template <class T> struct H { __host__ __device__ int f(); }; template <class T> struct H<T *> { __host__ __device__ int f(); }; template <class T> __host__ __device__ int H<T *>::f() { return sizeof(T); }
__global__ void k4(int *a) { int t = threadIdx.x; a[t * H<short *>().f()] = 0; }
template <class T, int W> struct J { __host__ __device__ int f(); }; template <class T> struct J<T, 2> { __host__ __device__ int f(); }; template <class T> __host__ __device__ int J<T, 2>::f() { return sizeof(T) + 1; } template <class T, int W> __host__ __device__ int J<T, W>::f() { return W + sizeof(T); } template <int K> struct J<char, K> { __host__ __device__ int f(); }; template <int Q> __host__ __device__ int J<char, Q>::f() { return Q; }
__global__ void k5(int *a) { int t = threadIdx.x; a[t * J<short, 2>().f()] = 0; a[t * J<char, 3>().f()] = 0; a[t * J<short, 3>().f()] = 0; }
