// `dim3` has a constructor: what its braces leave out is 1.
__device__ int volume(dim3 d) {
  return d.x * 4 + d.y + d.z;
}
struct Shape {
  dim3 d;
  int z;
};

//@ launch k grid=(1) block=(32) args(a=f32[65536], n=?5)
__global__ void k(float *a, int n) {
  a[threadIdx.x * volume({2})] = 1;
  a[threadIdx.x * volume({2, 3})] = 1;
  a[threadIdx.x * volume({})] = 1;
  dim3 d{2}, e = {2, 3}, f = {};
  a[threadIdx.x * d.y] = 1;
  a[threadIdx.x * (e.z + e.y)] = 1;
  a[threadIdx.x * (f.x + f.y)] = 1;
  Shape s{{2}, 1}, t{};
  a[threadIdx.x * s.d.y] = 1;
  a[threadIdx.x * (t.d.x + t.d.z)] = 1;
  d = {5};
  a[threadIdx.x * (d.x + d.y)] = 1;
}
