// Unsigned products of 64 bits that wrap: what they come to is no number that a comparison may go by.
__global__ void each(float *a, long long n) {
  int t = threadIdx.x;
  unsigned w = t * 2654435761u;
  unsigned long long l = (w + 1ull) * 11400714819323198485ull;
  unsigned long long m = (t + 1ull) * 11400714819323198485ull;
  unsigned long long u = (blockIdx.x + 1ull) * 11400714819323198485ull;
  a[__popcll(l)] = 1;
  a[__popcll(m) * 8] = 1;
  a[t * __popcll(u)] = 1;
  a[l & 7] = 1;
  a[l % 10 * 8] = 1;
  a[l >> 55] = 1;
  a[(int)l & 1023] = 1;
  a[((unsigned)l >> 3) & 1023] = 1;
  a[m >> 55] = 1;
  a[(u >> 55) * t] = 1;
  if (l < (1ull << 62)) a[t * 8] = 2;
  if (l > (1ull << 63)) a[t * 4] = 2;
  if (m > (1ull << 63)) a[t * 4] = 2;
  if (u > (1ull << 63)) a[t * 4] = 2;
  if ((long long)l < 0) a[t * 3] = 2;
  if ((long long)u < 0) a[t * 3] = 2;
  a[l > m ? t : t * 8] = 3;
  a[u > m ? t : t * 8] = 3;
  a[(l ^ (l >> 32)) & 1023] = 3;
  a[(l / 3) & 1023] = 3;
  a[max((long long)u, 0ll) > 5 ? t : t * 8] = 3;
  a[min(u, 7ull) * t] = 3;
  a[min(l, 7ull) * t] = 3;
}
int main() { float *a; cudaMalloc(&a, 65536 * 4); each<<<2, 64>>>(a, 5); }
