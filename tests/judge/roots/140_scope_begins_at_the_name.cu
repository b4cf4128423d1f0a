// A variable is in scope in its own initialiser: what that assigns to its name is itself, and no variable around it.
//@ launch r140_own_name grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r140_own_name(float *a, int n) {
  int t = threadIdx.x;
  int x = 2, y = 1;
  {
    int x = x = 3;
    a[t * x] = 1;
  }
  a[t * x] = 1;
  {
    int x = (x = 5) + 1, *q = &x;
    a[t * *q] = 1;
  }
  a[t * x] = 1;
  {
    int z = y++, y = z + (y = 4);
    a[t * y] = 1;
  }
  a[t * y] = 1;
  {
    const short x = sizeof(x) + 1;
    a[t * x] = 1;
  }
  {
    int x = [&] {
      x = 4;
      return 7;
    }();
    a[t * x] = 1;
  }
  a[t * x] = 1;
}
