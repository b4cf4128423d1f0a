// A cast behind `>`, `return` or another cast is no product, and what follows it no address.
__global__ void r236_compared(float *p, int n) {
  int t = threadIdx.x, l = t & 7;
  if (12 > (int)(t) && t > 1)
    p[t * 8] = 1;
  if (t - n > (int)(l) && t > 20)
    p[t * 4] = 2;
  if (sizeof(float4) > (size_t)(l) && l > 1)
    p[t * 2] = 3;
  if ((unsigned)(char)(t) & t > 3)
    p[t * 16] = 4;
  for (int i = l; 4 > (int)(i) && i != 3; i++)
    p[i * 8] = 5;
}
__device__ bool r236_both(int t, int n) { return (int)(t) & n == 0; }
__global__ void r236_returned(float *p, int n) {
  if (r236_both(threadIdx.x, n & 1))
    p[threadIdx.x] = 1;
}
