// Where bit-fields and members lie, and how large that makes a class.
struct r61_Bits {
  unsigned f : 20;
  unsigned g : 20;
  int h : 5;
  unsigned short i : 9;
};
struct r61_Few { unsigned j : 4, k : 3, l : 6; };
struct r61_First { int x, y; };
struct r61_Second { int z; };
struct r61_Both : r61_First, r61_Second {};
struct r61_End { double d; char c; };
struct r61_Three { char c; float3 v; char e; };
__device__ int r61_second(r61_Second &s) { return s.z; }
//@ launch r61_bits_and_paddings grid=(1) block=(32) args(a=f32[65536])
__global__ void r61_bits_and_paddings(float *a) {
  int t = threadIdx.x;
  r61_Bits o;
  o.f = 3;
  o.g = 5;
  o.h = -2;
  o.i = 9;
  a[t * (int)o.f] = 1;
  a[t * (int)o.g] = 1;
  a[t * (o.h + 9)] = 1;
  a[t * (o.i - o.f < 0 ? 3 : 8)] = 1;
  a[t * (o.f - 10 < 0 ? 3 : 8)] = 1;
  r61_Few few;
  few.j = 9;
  few.k = 5;
  few.l = 3;
  a[t * (int)few.k] = 1;
  a[t * (int)few.l] = 1;
  a[t * (int)sizeof(r61_Bits)] = 1;
  r61_Both both;
  both.x = 4;
  both.y = 2;
  both.z = 6;
  a[t * r61_second(both)] = 1;
  a[t * static_cast<r61_Second *>(&both)->z] = 1;
  a[t * (int)sizeof(r61_End)] = 1;
  a[t * (int)(sizeof(r61_Three) / 4 - 4)] = 1;
  *(char *)&((r61_End *)a)[t].c = 1;
}
