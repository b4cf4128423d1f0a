// A method that is called without an object, or through a base class, may be another class's.
__global__ void r40_virtual_call_in_a_base(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct R40Base {
  virtual int block() const { return 32; }
  virtual void run(float *p, int b) = 0;
  void go(float *p) { r40_virtual_call_in_a_base<<<1, block()>>>(p, 1, 0); }
};
struct R40Derived : R40Base {
  int block() const override { return 64; }
  void run(float *p, int b) override { r40_virtual_call_in_a_base<<<1, b>>>(p, 2, 0); }
};
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  R40Derived d;
  d.go(p);
  d.run(p, 96);
  R40Base *q = &d;
  q->run(p, 128);
}
