// A declaration that begins with a pointer to a row and goes on behind a comma is read as an expression.
__global__ void scope(float *a) {
  __shared__ float s[2][4][8];
  int t = threadIdx.x, x = 1;
  s[0][t / 8][t % 8] = t;
  __syncthreads();
  if (t < 64) {
    float (*row)[8] = s[0], x = 2;
    a[t] = row[t / 8][t % 8] + x;
  }
  a[t * x + 64] = 1;
}
__global__ void loop(float *a, int n) {
  __shared__ int s[2][4][8];
  int t = threadIdx.x, st = 1;
  for (int i = 0; i < 2; i++) {
    int (*row)[8] = s[i], st = i + 3;
    row[t / 8][t % 8] = st;
  }
  __syncthreads();
  a[t * st] = s[0][t / 8][t % 8];
}
__global__ void swapped(float *a, const float *b, int n) {
  __shared__ float s[2][4][8];
  int t = threadIdx.x;
  float (*cur)[8] = s[0], (*nxt)[8] = s[1];
  for (int i = 0; i < n; i++) {
    cur[t % 4][t / 4] = b[i * 32 + t];
    __syncthreads();
    a[i * 32 + t] = cur[0][t % 8];
    float (*q)[8] = cur;
    cur = nxt;
    nxt = q;
  }
}
int main() {
  float *a;
  cudaMalloc(&a, 1 << 20);
  scope<<<1, 32>>>(a);
  loop<<<1, 32>>>(a, 3);
  swapped<<<1, 32>>>(a, a + 65536, 4);
}
