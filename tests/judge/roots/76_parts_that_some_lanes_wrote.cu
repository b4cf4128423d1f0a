// Lanes that wrote a part of a number hold another one than their neighbours: it is no value that they share.
//@ launch ct grid=(1) block=(64) args(a=i32[65536], n=?5)
__global__ void ct(int *a, int n) {
  int t = threadIdx.x;
  union { int i; short h[2]; } u;
  u.i = n;
  if (t & 1) u.h[0] = 32;
  a[(u.i & 1023) + t] = 1;
  union { short h[2]; unsigned char c[4]; } v;
  v.h[0] = n;
  v.h[1] = 3;
  if (t % 3 == 0) { v.c[0] = 8; v.c[1] = 0; }
  a[(v.h[0] & 1023) * 4 + t] = 1;
}
