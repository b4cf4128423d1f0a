// A pack of pointers without a name is not read: the other overload may not be meant.
//@ launch r93_overload_that_cannot_be_read grid=(2) block=(32) args(a=f32[65536], n=?13)
template <class... T>
__device__ int r93(T...) { return 1; }
template <class T, class... U>
__device__ int r93(T, U *...) { return 5; }
__global__ void r93_overload_that_cannot_be_read(float *a, int n) {
  int t = threadIdx.x, *p = &n;
  a[t * r93(1, p)] = 1;
  a[t * r93(1)] = 1;
}
