#include <cstdlib>
__global__ void ringed(float *out, int n) {
  __shared__ float s[64 * 8];
  int pos = 4 * (threadIdx.x & 15);
  for (int k = 0; k < n; k++) {
    s[pos * 2] = k;
    out[k * blockDim.x + threadIdx.x] = s[pos + (threadIdx.x & 3)];
    pos = (pos + 4) & 63;
  }
}
__global__ void buf(float *out, int n) {
  __shared__ float s[2048];
  unsigned at = threadIdx.x * 2;
  for (int k = 0; k < n; k++) {
    s[at] = k;
    at ^= 1024;
  }
  out[at] = 1;
  int up = threadIdx.x;
  for (int k = 0; k < n; k++) {
    s[up] = k;
    up = (up ^ 4) + 8;
  }
  out[up] = 1;
}
__global__ void rem(float *out, int n) {
  __shared__ float s[2048];
  int up = threadIdx.x & 31;
  for (int k = 0; k < n; k++) {
    s[up * 4] = k;
    up = (up + 1) % 32;
  }
}
int main(int c, char **v) { float *p = (float *)malloc(1 << 20); ringed<<<1, 128>>>(p, 5); buf<<<1, 128>>>(p, 7); rem<<<1, 64>>>(p, 9); }
