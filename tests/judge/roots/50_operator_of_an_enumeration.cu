// An operator that is overloaded for an enumeration is no operator on numbers.
enum Flag50 { f50a = 1, f50b = 2 };
__device__ inline int operator|(Flag50 x, Flag50 y) { return int(x) + int(y) + 1; }
__global__ void r50_enumeration(float *a) { a[threadIdx.x * (f50a | f50b)] = 1; }
