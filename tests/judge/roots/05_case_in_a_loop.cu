// A `case` inside of a loop of its `switch`.
//@ launch r05_case_in_a_loop grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r05_case_in_a_loop(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int x = 0;
  a[t * 2 + 4096] = 1;
  switch (n & 3) {
  case 0:
    do {
      x += 1;
    case 3:
      a[t * x] = 1;
    case 2:
      x += 2;
    case 1:
      a[t * x + 1] = 2;
    } while (x < 5);
  }
}
