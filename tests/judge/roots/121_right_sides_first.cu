// What an assignment takes is taken before its left side has effects, a place in memory as well: `a[i++] = a[i * 2]` reads at the old `i`.
//@ launch r121_places grid=(2) block=(64) args(a=f32[65536], b=f32[65536], n=?16)
__global__ void r121_places(float *a, const float *b, int n) {
  int t = threadIdx.x;
  int i = t;
  a[i++] = a[i * 2];
  a[i ^= 3] = b[i * 2];
  float4 *o = (float4 *)a;
  const float4 *p = (const float4 *)b + t;
  o[i++] = ((const float4 *)b)[i * 2];
  o[i] = *p++;
  *o++ = p[1];
  float2 z;
  (i++, z) = ((const float2 *)b)[i];
  a[t] = z.x;
}
//@ launch r121_values grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r121_values(float *a, int n) {
  int t = threadIdx.x;
  int kept[2] = {3, 4}, to[8] = {};
  to[kept[0]++] = kept[0];
  a[t * to[3]] = 1;
  int line[4] = {1, 2, 4, 8}, *p = line;
  *p++ = p[1];
  a[t * line[0]] = 1;
  int r[3] = {1, 2, 3};
  auto moved = [&] { r[1] += 2; return r[1]; };
  auto place = [&]() -> int & { r[1] += 2; return r[2]; };
  place() = r[1];
  a[t * r[2]] = 1;
  r[moved() & 1] = r[1];
  a[t * r[0]] = 1;
  a[t * r[1] + 7] = 1;
}
struct R121 {
  int v, w;
  __device__ int &at(int k) { return k ? w : v; }
  __device__ R121 &add(int k) { v += k; return *this; }
};
//@ launch r121_members grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r121_members(float *a, int n) {
  int t = threadIdx.x;
  R121 q{1, 2};
  q.at(q.v++ & 1) = q.v;
  a[t * q.v] = 1;
  a[t * q.w] = 1;
  q.at(q.add(1).v & 1) += q.w;
  a[t * q.v] = 1;
  a[t * q.w] = 1;
}
// An object that the left side writes while it is copied is copied before by one compiler, after by another.
//@ launch r121_objects grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r121_objects(float *a, int n) {
  int t = threadIdx.x;
  R121 q{1, 5}, into[4] = {};
  into[q.v++] = q;
  a[t * into[1].v] = 1;
  a[t * into[2].v] = 1;
}
