// What stands behind an array in its object stays where a loop's counter keeps to the array, and is written where
// it does not: counters that go up, down, by factors, that come round, and ends that the body moves.
struct r65_H {
  int tk[4];
  int stride;
  int more;
  float *p;
};
__device__ void r65_up(int *k, int n) {
  for (int i = 0; i < n; ++i) k[i] = 3;
}
//@ launch r65_counters grid=(1) block=(64) args(a=f32[65536], b=f32[65536], n=?3, m=?5)
__global__ void r65_counters(float *a, float *b, int n, int m) {
  int t = threadIdx.x;
  n &= 3, m = 4 + (m & 1);
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int i = 0; i < 4; ++i) k[i] = 2;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    r65_up(k, 4);
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    r65_up(k, m);
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int i = 3; i >= 0; --i) k[i] = n;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int i = 4; i > 0; --i) k[i] = 5;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (unsigned i = 1; i < 5; i *= 2) k[i] = 4;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (unsigned i = 4; i > 0; i /= 2) k[i - 1] = 6;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (unsigned char i = 2; i < 4; i -= 2) k[i + 2] = 6;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int i = 0, end = 3; i <= end; ++i) {
      k[i] = 7;
      if (i == 3 && end == 3) end = m - 1;
    }
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int i = 0; i < 4; ++i) {
      k[i] = 8;
      if (n == 3 && i == 2) i = 3, k[i + 1] = 9;
    }
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int j = 0; j < 2; ++j)
      for (int i = j; i < 2 + j; ++i) k[i + 2 * j] = j + 2;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < 4; i += 3) k[i] = k[i ^ 1] + t;
      h.p[t * h.stride] = 12;
      h.more += 1;
    }
    h.p[t * h.more] = 13;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n + 2; i++) k[i] = j + 2;
      h.p[t * h.stride] = 12;
    }
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    int i = 0;
    do k[i] = 3;
    while (++i < 5);
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int i = t & 1; i < 4; i += 2) k[i] = 3;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int i = t & 1; i <= 4; i += 2) k[i] = 3;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int i = 7; i - 4 < 4; ++i) k[i - 4] = 3;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int i = 0; i < 4 && i < n; ++i) k[i] = 3;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (int i = 0; i < 5 || i < n; ++i) k[i] = 3;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    for (short i = 0; i < 4; ++i) k[i + (m - 4)] = 3;
    h.p[t * h.stride] = 1;
  }
  {
    r65_H h = {{1, 1, 1, 1}, 1, 1, a};
    int *k = h.tk;
    unsigned long long *raw = (unsigned long long *)(k + 2);
    for (int j = 1; j < 3; ++j) raw[j] = j == 2 ? (unsigned long long)(b + 1) : 0x300000002ull;
    h.p[t * h.more] = 15;
    h.p[t * h.stride] = 1;
  }
}
