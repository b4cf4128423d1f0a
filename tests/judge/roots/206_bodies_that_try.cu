// A function whose whole body is a try block, and a constructor's, do what the block and its handlers do.
__global__ void k(float *a, int n) { a[threadIdx.x * n] = 1; }
static int f(int &x) try { x = 6; return 1; } catch (int) { return 2; }
static void g(int &x) try { if (x) throw 1; } catch (int) { x = 5; }
struct S {
  int n;
  S(int by) try : n(by) { n += 2; } catch (...) { }
};
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  int n = 1, m = 1;
  f(n);
  g(m);
  S s(2);
  k<<<1, 32>>>(p, n);
  k<<<1, 32>>>(p, m);
  k<<<1, 32>>>(p, s.n);
}
