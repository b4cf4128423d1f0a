// Of `a op= b` C++17 takes the right side first and GCC the left one; of an operator of a class other compilers do, too.
__device__ int *r144_past(int *&p) { return p++; }
__device__ int &r144_more(int &x) {
  x++;
  return x;
}
//@ launch r144_numbers grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r144_numbers(float *a, int n) {
  int t = threadIdx.x;
  int kept[6] = {1, 2, 3, 4, 5, 6}, *p = kept, i = 0;
  *p++ += *p;
  a[t * kept[0]] = 1;
  *r144_past(p) += *p;
  a[t * kept[1]] = 1;
  kept[++i + 2] *= i;
  a[t * kept[3]] = 1;
  a[t * i] = 1;
  r144_more(i) += i;
  a[t * (p - kept)] = 1;
}
//@ launch r144_memory grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r144_memory(float *a, int n) {
  int t = threadIdx.x;
  a[t++] += a[t];
  a[t * 2] = 1;
  a[(t += 3)] -= a[t * 4];
  a[t++] *= t;
  a[t * 2] = 1;
}
struct R144 {
  int v;
  __device__ R144 &inc() {
    v++;
    return *this;
  }
  __device__ R144 &operator+=(int k) {
    v += k;
    return *this;
  }
};
//@ launch r144_classes grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r144_classes(float *a, int n) {
  int t = threadIdx.x;
  R144 c{1};
  c.inc() += c.v;
  a[t * c.v] = 1;
  R144 d{2};
  d.inc().v += d.v;
  a[t * d.v] = 1;
  R144 e{1};
  e += e.inc().v;
  a[t * e.v] = 1;
}
