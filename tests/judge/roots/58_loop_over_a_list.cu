// A loop over a list in braces: every number is taken before the first run of the body, which may be left early.
//@ launch k grid=(2) block=(64) args(a=f32[65536], n=?5)
__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  for (int stride : {32, 16, 8, 4}) {
    const int from = stride == 32 ? 0 : 100 - 100 % (2 * stride);
    const int to = 100 - 100 % stride;
    if (from == to)
      continue;
    for (int i = from; i < to; i += stride)
      a[i + t * (32 / stride)] = 1;
  }
  int step = 2;
  for (const auto &s : {step, step * 2, step * 8}) {
    step = 32;
    a[t * s] = 1;
    if (s == 4)
      break;
  }
  for (auto s : {1u, 8u})
    for (int j : {n, 2}) {
      if (j == 2)
        continue;
      a[t * s] = 1;
    }
  for (char c : {1, 257, 4})
    a[t * c] = 1;
  enum Way { Near = 3, Far = 9 };
  for (Way w : {Near, Far})
    a[t * w] = 1;
}
