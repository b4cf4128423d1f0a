// `decltype(auto)` of a variable that may not be changed: nor may what it declares.
__device__ inline int told241(int &) { return 3; }
__device__ inline int told241(const int &) { return 14; }
__device__ inline int told241(int &&) { return 21; }
__global__ void r241_told(unsigned char *a) {
  int t = threadIdx.x;
  const int c = 33;
  decltype(auto) r = c;
  a[t * told241(r)] = 1;
  decltype(auto) q = (c);
  a[t * told241(q)] = 1;
  int v = 2;
  decltype(auto) p = (v);
  a[t * told241(p)] = 1;
  decltype(auto) o = v;
  a[t * told241(o)] = 1;
}
