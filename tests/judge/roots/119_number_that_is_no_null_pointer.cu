// A number that is not 0 is no null pointer: which constructor or function is meant does not depend on it.
//@ launch k grid=(2) block=(64) args(p=f32[4096], n=5)
struct View {
  __device__ View(float *p, unsigned long n) : data(p), step(n & 3) {}
  __device__ View(float *p, float *end) : data(p), step((end - p) & 7) {}
  float *data;
  int step;
};
__device__ int pick(const float *) { return 5; }
__device__ int pick(unsigned char) { return 3; }
__device__ int take(int &&x) { return x + 1; }
__device__ int take(const int &x) { return x + 4; }
__device__ int take(float *) { return 7; }
__device__ int part(int &x) { return x + 2; }
__device__ int part(const int &x) { return x + 5; }
__global__ void k(float *p, int n) {
  int t = threadIdx.x;
  View a(p, 18), b(p, n), c{p, p + 6}, d{p, (unsigned long)n};
  a.data[t * a.step] = 1;
  b.data[t * b.step] = 2;
  c.data[t * c.step] = 3;
  d.data[t * d.step] = 4;
  const int two = 2;
  int three = 3;
  p[t * pick(7)] = 5;
  p[t * pick(two)] = 6;
  p[t * take(2)] = 7;
  p[t * take(two)] = 8;
  p[t * take(three)] = 9;
  p[t * take(three + 1)] = 10;
  p[t * part(two)] = 11;
  p[t * part(three)] = 12;
  p[t * part(4)] = 13;
}
