// A `mutable` member is written by const conversions, operators and functions that take references to const.
__global__ void k(float *a, int n) { a[threadIdx.x * n] = 1; }
struct Converted {
  mutable int x;
  operator int() const { return x++; }
};
struct Negated {
  mutable int x;
  bool operator!() const { return x++ > 0; }
};
struct Plain {
  mutable int x;
};
struct Derived : Plain { };
static void f(const Plain &s) { s.x = 9; }
static const Plain whole{3};
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  Converted c{1};
  int z = c;
  Negated d{1};
  bool y = !d;
  Plain s{1};
  f(s);
  Derived e;
  e.x = 1;
  f(e);
  f(whole);
  k<<<1, 32 * (1 + 0 * (z + y))>>>(p, c.x);
  k<<<1, 32>>>(p, d.x);
  k<<<1, 32>>>(p, s.x);
  k<<<1, 32>>>(p, e.x);
  k<<<1, 32>>>(p, whole.x);
}
