constexpr int TILE = 2147483647;
struct Pair { float a; int b[3]; };
__global__ void k(float *o) {
  __shared__ unsigned char s0[TILE];
  __shared__ float s1[TILE][TILE];
  __shared__ Pair s2[TILE];
  s1[threadIdx.x][threadIdx.x] = o[threadIdx.x];
}
void host(float *o) { k<<<1, 32, 18446744073709551615ull>>>(o); }
