// Bits of an integer that are read as a number, signed ones as unsigned, and few bits that become an `int`.
union Both { int i; float f; };
struct Bits { unsigned a : 3; unsigned b : 29; };
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  Both u{0x40800000};
  a[t * (int)u.f] = 1;
  int i = 0x40800000;
  float f = *(float *)&i;
  a[t * (int)f] = 1;
  float g = 7;
  int &r = *(int *)&g;
  r = 0x40400000;
  a[t * (int)g] = 1;
  int m = -1;
  a[t * (int)(*(unsigned *)&m >> 29)] = 1;
  Bits s = {6, 5};
  a[t * (s.a - 7 < 0 ? 4 : 5)] = 1;
  a[t * (-s.a + 10)] = 1;
  a[t * (s.b - 9 > 0 ? 2 : 3)] = 1;
}
