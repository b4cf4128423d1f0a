// Short loops that move each of a few pointers or numbers on, in a loop; an enumerator beside a member is no write.
struct Sizes230 {
  enum { W = 4 };
  int n;
  __device__ int at(int i) const { return i + n * W; }
};
//@ launch r230_elements_that_move grid=(2) block=(48) args(a=f32[65536], n=3)
__global__ void r230_elements_that_move(float *a, int n) {
  int t = threadIdx.x;
  float *p[3];
  int at[2] = {t, t * 2};
  for (int i = 0; i < 3; i++) p[i] = a + i * 64 + t;
  for (int r = 0; r < n; r++) {
    for (int i = 0; i < 3; i++) {
      *p[i] = 1;
      p[i] += 32 * (i + 1);
    }
    for (int j = 0; j < 2; ++j) {
      if (r == 1 && j == 1) continue;
      a[at[j]] = 2;
      at[j] += 8;
    }
  }
  Sizes230 s{n};
  a[s.at(t)] = 1;
  a[t + s.n * s.W] = 1;
}
