// A member written by its class's or base's name in a method (`C::n = v`, `Base::v = x`, `&(C::n)`, `int& z = C::n`, a pointer moved by `F::p += 3`): the write is lost.
struct C { int n; __device__ C(int x) : n(x) {} __device__ void set(int n) { C::n = n; } __device__ void add(int v) { C::n += v; } __device__ int* at() { return &(C::n); } __device__ void ref(int v) { int& z = C::n; z = v; } };
__global__ void k1(float* o) { C a(3); a.set(5); o[threadIdx.x * a.n] = 1; }
__global__ void k2(float* o) { C a(3); a.add(2); o[threadIdx.x * a.n] = 1; }
__global__ void k3(float* o) { C a(3); *a.at() = 5; o[threadIdx.x * a.n] = 1; }
__global__ void k4(float* o) { C a(3); a.ref(5); o[threadIdx.x * a.n] = 1; }
struct B { int n = 3; };
struct D : B { int n = 2; __device__ void set(int n) { B::n = n; } };
__global__ void k5(float* o) { D a; a.set(5); o[threadIdx.x * a.B::n] = 1; }
template <class T> struct TB { T v = 3; T w[2] = {1, 2}; };
template <class T> struct TD : TB<T> { typedef TB<T> Base; __device__ void set(T x) { Base::v = x; } __device__ void set2(T x) { TB<T>::w[1] = x; } };
__global__ void k6(float* o) { TD<int> a; a.set(5); o[threadIdx.x * a.v] = 1; }
__global__ void k7(float* o) { TD<int> a; a.set2(5); o[threadIdx.x * a.w[1]] = 1; }
struct F { float* p; __device__ F(float* p) : p(p) {} __device__ void mv(int n) { F::p += n; } };
__global__ void k8(float* o) { F f(o); f.mv(3); f.p[threadIdx.x] = 1; }
struct V3 { int x, y; }; struct W : V3 { __device__ W(int a) { V3::x = a; V3::y = a + 1; } };
__global__ void k9(float* o) { W w(3); o[threadIdx.x * w.y] = 1; }
struct G { int n = 3; __device__ void set(int v) { auto l = [&](int n) { G::n = n; }; l(v); } };
__global__ void k10(float* o) { G a; a.set(5); o[threadIdx.x * a.n] = 1; }
int main() { float* d; cudaMalloc(&d, 1 << 20); k1<<<1, 32>>>(d); k2<<<1, 32>>>(d); k3<<<1, 32>>>(d); k4<<<1, 32>>>(d); k5<<<1, 32>>>(d); k6<<<1, 32>>>(d); k7<<<1, 32>>>(d); k8<<<1, 32>>>(d); k9<<<1, 32>>>(d); k10<<<1, 32>>>(d); }
