// A template that adds no `const` fits better than a function that does.
__device__ inline int o50(const int *) { return 5; }
template <class T> __device__ int o50(T *) { return 6; }
__global__ void r50_template(float *a, int n) { a[threadIdx.x * o50(&n)] = 1; }
