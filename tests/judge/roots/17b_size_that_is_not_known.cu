// What `&p[i]` is, is not known where the size of an element is not: it is not `p`.
struct r17b_Four { int m[4]; };
template <class T> struct r17b_Of { typedef __typeof__(T()) type; };
//@ launch r17b_size_that_is_not_known grid=(1) block=(32) args(a=f32[262144])
__global__ void r17b_size_that_is_not_known(float *a) {
  __shared__ float4 s[1024];
  int t = threadIdx.x;
  typename r17b_Of<r17b_Four>::type *p = (typename r17b_Of<r17b_Four>::type *)a;
  typename r17b_Of<r17b_Four>::type *q = (typename r17b_Of<r17b_Four>::type *)s;
  float4 v = *(float4 *)&p[t * 64];
  v.x += *(float *)&q[t * 8];
  a[t] = v.x;
}
