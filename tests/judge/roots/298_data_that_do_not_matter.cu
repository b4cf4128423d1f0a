// One lane's address is any one address; a row that data choose leaves every lane in its own bank. Beside them what
// looks alike and is not: two lanes, rows that are no multiple of all banks, lanes that share a bank or a word.
__global__ void lanes(float *o, const int *x) {
  int i = x[threadIdx.x];
  if (threadIdx.x == 0) o[i] = 1;
  if (threadIdx.x % 32 == 31) o[i + 1] = 1;
  if (threadIdx.x < 2) o[i + 2] = 1;
  if (threadIdx.x == 5) o[o[i] > 1 ? i : 2 * i] = 2;
}
__global__ void rows(unsigned *o, const unsigned *x, int n) {
  __shared__ unsigned s[16][128];
  __shared__ unsigned thin[64][33];
  __shared__ unsigned char bytes[16][256];
  unsigned d = x[threadIdx.x] & 15;
  s[d][threadIdx.x] = 1;
  s[d][threadIdx.x ^ 5] = 2;
  s[d][(threadIdx.x * 3) & 127] = 2;
  s[d][(threadIdx.x * 2) & 127] = 3;
  s[d][threadIdx.x / 2] = 4;
  s[d][5] = 5;
  thin[d][threadIdx.x & 31] = 6;
  bytes[d][threadIdx.x] = 7;
  s[threadIdx.x & 15][d] = 8;
  for (int i = 0; i < 4; i++) s[(x[threadIdx.x + i] >> (4 * i)) & 15][threadIdx.x]++;
  if (threadIdx.x < n) atomicAdd(&s[d][threadIdx.x], 1u);
  o[threadIdx.x] = s[threadIdx.x & 1 ? d : 3][threadIdx.x] + s[d][(threadIdx.x & 31) + (d > 3 ? 32 : 0)];
}
int main() {
  float *f;
  int *x;
  cudaMalloc(&f, 1 << 16);
  cudaMalloc(&x, 1 << 16);
  lanes<<<1, 64>>>(f, x);
  rows<<<1, 128>>>((unsigned *)f, (unsigned *)x, 100);
}
