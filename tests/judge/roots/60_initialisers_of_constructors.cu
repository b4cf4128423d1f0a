// A member of an unnamed union, a base by another name, a member that has a value of its own: what a constructor's
// initialisers say of them.
struct Base {
  int k;
  __device__ Base(int x, int y = 1) : k(x * 2 + y) {}
};
struct Inner {
  int v = 5, w;
  __device__ Inner() : w(3) {}
};
struct Plain {
  int v = 7;
};
struct S : Base {
  using Parent = Base;
  union {
    int i;
    short h[2];
  };
  Inner in;
  Plain p;
  __device__ S(int a) : Parent(a, 2), i(a * 3), in(), p() {}
};
__global__ void k(float *a) {
  int t = threadIdx.x;
  S s(t);
  a[s.k] = 1;
  a[s.i] = 2;
  a[t * s.in.v] = 3;
  a[t * s.in.w] = 4;
  a[t * s.p.v] = 5;
}
int main() {
  float *a;
  cudaMalloc(&a, 65536);
  k<<<1, 64>>>(a);
}
