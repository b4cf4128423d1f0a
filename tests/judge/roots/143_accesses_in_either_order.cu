// Operands and arguments come in either order: where one reads memory is open where another one moves it.
__device__ int r143_two(int x, int y) { return x * 3 + y; }
__device__ void r143_add(int &x, int y) { x += y; }
struct R143 {
  int x, y;
  __device__ R143(int a, int b) : x(a), y(b) {}
};
//@ launch r143_arguments grid=(2) block=(64) args(a=f32[65536], b=i32[65536], n=?16)
__global__ void r143_arguments(float *a, int *b, int n) {
  int t = threadIdx.x;
  int y = r143_two(b[t++], b[t * 2]);
  a[t] = y;
  y = r143_two(b[t * 2], b[t++]);
  a[t] = y;
  R143 p(b[t++], b[t * 4]);
  a[t] = p.x;
  R143 q(b[t * 4], b[t++]);
  a[t] = q.y;
  a[t * 2] = 1;
}
//@ launch r143_built_in grid=(2) block=(64) args(a=f32[65536], b=i32[65536], n=?16)
__global__ void r143_built_in(float *a, int *b, int n) {
  int t = threadIdx.x;
  atomicAdd(&b[t++], b[t * 2]);
  a[t] = 1;
  a[t] = max(b[t * 3], b[t++]);
  a[t * 2] = 1;
}
//@ launch r143_references grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r143_references(float *a, int n) {
  int t = threadIdx.x;
  int i = 1, kept[4] = {1, 2, 3, 4};
  r143_add(kept[i], i++);
  a[t * kept[1]] = 1;
  a[t * kept[2]] = 1;
  a[t * i] = 1;
}
//@ launch r143_operands grid=(2) block=(64) args(a=f32[65536], b=i32[65536], n=?16)
__global__ void r143_operands(float *a, int *b, int n) {
  int t = threadIdx.x;
  a[t] = b[t++] + b[t * 2];
  a[t] = b[t * 2] - b[t++];
  bool less = b[t++] < b[t * 2];
  a[t] = less;
  int *p = b;
  a[t] = *p++ + p[t];
  a[t] = p[t * 2] + *p++;
  a[t * 2] = p - b;
}
//@ launch r143_shifts grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r143_shifts(float *a, int n) {
  int t = threadIdx.x;
  int i = 2;
  a[(i++ << i) * t & 1023] = 1;
  a[t * i] = 1;
}
