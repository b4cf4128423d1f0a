// A constructor that has another one make the object, copies that a class makes itself, braces left out.
__global__ void r40_delegating_constructor(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct R40Options {
  int block = 64;
  int n = 7;
  R40Options(int b) : block(b) {}
  R40Options(int b, int k) : R40Options(b) { n = k; }
};
struct R40Copied {
  int b;
  R40Copied(int k) : b(k) {}
  R40Copied(const R40Copied &o) : b(o.b * 2) {}
};
struct R40Pair {
  int x, y;
};
struct R40Braces {
  R40Pair pair;
  int z = 96;
};
static int r40_size(R40Copied c) { return c.b; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  R40Options c(128, 9), d{192, 9};
  r40_delegating_constructor<<<1, c.block>>>(p, c.n, 0);
  r40_delegating_constructor<<<1, d.block>>>(p, 1, d.n);
  R40Copied one(32);
  R40Copied two = one;
  r40_delegating_constructor<<<1, two.b>>>(p, 1, 0);
  r40_delegating_constructor<<<2, r40_size(two)>>>(p, 1, 0);
  R40Braces braces{32, 2};
  r40_delegating_constructor<<<braces.pair.y, braces.z>>>(p, 1, 0);
}
