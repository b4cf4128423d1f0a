// What a jump leaves ends on the way, the youngest first; an object that is returned may be made where it is wanted.
//@ launch r96_destructors_on_the_way_out grid=(2) block=(32) args(a=f32[65536], n=?13, m=?3)
struct R96Add {
  int &x, by;
  __device__ R96Add(int &x, int by) : x(x), by(by) {}
  __device__ ~R96Add() { x = x * 2 + by; }
};
struct R96Both {
  R96Add one, two;
  __device__ R96Both(int &x) : one(x, 1), two(x, 3) {}
  __device__ ~R96Both() { one.x += 1; }
};
__device__ int r96_break(int n) {
  int x = 1;
  R96Add around(x, 1);
  for (int i = 0; i < 3; ++i) {
    R96Add first(x, 1);
    {
      R96Add second(x, 2);
      if (n == i) break;
      if (n > 5) continue;
    }
    x += 1;
  }
  return x;
}
__device__ void r96_return(int &x, int n) {
  R96Both both(x);
  {
    R96Add inner(x, 1);
    if (n & 1) return;
  }
  x += 5;
}
__device__ int r96_value(int n) {
  int x = 1;
  {
    R96Add inner(x, 1);
    if (n > 2) return x;
  }
  return x + 7;
}
__device__ int r96_goto(int n) {
  int x = 0, i = 0;
again:
  R96Add before(x, 1);
  {
    R96Add inner(x, 1);
    if (i++ < n && i < 3) goto again;
    if (n == 7) goto out;
    x += 3;
  }
out:
  return x;
}
__device__ int r96_switch(int n) {
  int x = 1;
  switch (n & 3) {
    case 0: {
      R96Add inner(x, 3);
      if (n > 3) break;
      x += 4;
    }
    case 1: x += 5; break;
    default: R96Add last(x, 2);
  }
  return x;
}
__device__ R96Add r96_made(int &x) {
  R96Add made(x, 1);
  return made;
}
__global__ void r96_destructors_on_the_way_out(float *a, int n, int m) {
  int t = threadIdx.x;
  int x = 1;
  a[t * r96_break(n)] = 1;
  a[t * r96_value(n)] = 1;
  a[t * r96_goto(m)] = 1;
  a[t * r96_switch(n)] = 1;
  r96_return(x, n);
  a[t * x] = 1;
  auto f = [&](int k) {
    R96Add inner(x, 1);
    if (k > 2) return x;
    x += 3;
    return x;
  };
  a[t * f(n)] = 1;
  x = 1;
  for (int k : {1, 2, 3}) {
    R96Add inner(x, 1);
    if (k == n) continue;
    x += k;
  }
  a[t * x] = 1;
  x = 1;
  R96Add made = r96_made(x);
  a[t * x] = 1;
}
