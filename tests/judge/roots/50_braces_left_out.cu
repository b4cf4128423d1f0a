// A list without inner braces fills members in order, those of base classes and unnamed unions too.
struct Pair50 { int x, y; };
struct Outer50 {
  Pair50 p[2];
  int q;
};
struct From50 : Pair50 { int z; };
struct Unnamed50 {
  union { int i; float f; };
  int last;
};
__global__ void r50_braces(float *a) {
  int t = threadIdx.x;
  Outer50 o = {1, 2, 3, 4, 5};
  a[t * o.p[1].y] = 1;
  a[t * o.q] = 2;
  Pair50 two[2] = {1, 2, 3};
  a[t * two[1].x] = 3;
  a[t * (two[1].y + 5)] = 4;
  Pair50 many[] = {1, 2, 3, 4, 5, 6};
  a[t * (int)(sizeof(many) / sizeof(many[0]))] = 5;
  From50 f = {4, 5, 6};
  a[t * f.z] = 6;
  a[t * f.x] = 7;
  Unnamed50 u = {1, 7};
  a[t * u.last] = 8;
  Outer50 rest = {{{6}}};
  a[t * (rest.q + rest.p[1].x + 2)] = 9;
}
