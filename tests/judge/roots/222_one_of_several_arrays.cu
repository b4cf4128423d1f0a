// A store through a pointer that is one of several arrays may be one to each of them: no swizzle of one leaves it aside.
//@ launch r222_one_of_several_arrays grid=(1) block=(128) args(a=i32[65536], n=?5)
__global__ void r222_one_of_several_arrays(int *a, int n) {
  __shared__ int s[2048];
  __shared__ int q[512];
  int t = threadIdx.x;
  int *p = n > 4 ? s : q;
  p[t * 2 & 511] = t;
  __syncthreads();
  a[t] = s[(t * 20 + 3) & 1023];
}
