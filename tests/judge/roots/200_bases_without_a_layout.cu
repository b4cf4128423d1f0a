// A class whose base class has no layout here was taken for an empty one: copies of it were silently dropped.
struct R200 : float2 {};
struct R200Made : float4 {
  __device__ R200Made() {}
};
struct R200In {
  R200 of;
};
struct R200Both : R200 {
  int *p;
};
//@ launch r200 grid=(2) block=(64) args(a=f32[65536], b=f32[65536], c=f32[65536], d=f32[65536])
__global__ void r200(R200 *a, R200Made *b, R200In *c, R200Both *d) {
  __shared__ R200 s[128];
  int t = threadIdx.x;
  R200 v = a[t];
  a[t + 64] = v;
  s[t] = a[t * 3];
  __syncthreads();
  a[t + 128] = s[t * 2];
  R200Made w[2];
  w[1] = b[t];
  b[t + 64] = w[1];
  c[t + 64] = c[t * 2];
  R200Both e = d[t];
  d[t + 64] = e;
}
