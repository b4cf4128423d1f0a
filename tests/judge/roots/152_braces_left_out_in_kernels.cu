// How many elements an array without a bound has whose list leaves inner braces out.
struct Pair {
  int x, y;
};
struct Row {
  int w[2];
  int z;
};
constexpr Pair G[] = {1, 2, 3, 4};
constexpr int M[][2] = {1, 2, 3, 4};
__constant__ Pair C[] = {1, 2, 3, 4};

//@ launch numbers grid=(1) block=(32) args(a=f32[65536], n=?5)
__global__ void numbers(float *a, int n) {
  Pair t[] = {n, 2, 3, 4};
  a[threadIdx.x * (sizeof(t) / sizeof(t[0]))] = 1;
  a[threadIdx.x * t[1].x] = 1;
  int m[][2] = {{1, 2}, n, 4};
  a[threadIdx.x * (sizeof(m) / sizeof(m[0]))] = 1;
  Row r[] = {1, n, 3, 4, 5, 6};
  a[threadIdx.x * (sizeof(r) / sizeof(r[0]))] = 1;
  int s = 0;
  for (Pair e : t)
    s += 1;
  a[threadIdx.x * s] = 1;
}

//@ launch objects grid=(1) block=(32) args(a=f32[65536], n=?5)
__global__ void objects(float *a, int n) {
  Pair u[] = {{1, 2}, 3, 4};
  a[threadIdx.x * (sizeof(u) / sizeof(u[0]))] = 1;
  Pair one = {7, n}, w[] = {one, 2, 3};
  a[threadIdx.x * (sizeof(w) / sizeof(w[0]))] = 1;
  a[threadIdx.x * w[1].x] = 1;
}

//@ launch globals grid=(1) block=(32) args(a=f32[65536], n=?5)
__global__ void globals(float *a, int n) {
  a[threadIdx.x * (sizeof(G) / sizeof(G[0]))] = 1;
  a[threadIdx.x * (sizeof(M) / sizeof(M[0]))] = 1;
  a[threadIdx.x * (sizeof(C) / sizeof(C[0]))] = 1;
  int s = 0;
  for (auto &e : G)
    s += e.x;
  a[threadIdx.x * s] = 1;
}
