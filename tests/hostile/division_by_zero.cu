#define D(x) ((x) / ((x) - (x)))
template <int N> __global__ void k(int *o) { o[threadIdx.x % (N - N)] = D(N) << 99; }
void f(int *o) { k<(-2147483647 - 1) / -1><<<1 / 0, -1>>>(o); }
