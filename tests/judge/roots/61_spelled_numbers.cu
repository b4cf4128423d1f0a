// Numbers by their spelling, and the types that they have by it.
//@ launch r61_spelled_numbers grid=(1) block=(32) args(a=f32[65536])
__global__ void r61_spelled_numbers(float *a) {
  int t = threadIdx.x;
  a[t * 017] = 1;
  a[t * 0x11] = 1;
  a[t * 0b101] = 1;
  a[t * (1'000 / 125)] = 1;
  a[t * (0xffffffff + 1 == 0 ? 3 : 8)] = 1;
  a[t * (-1 < 0xffffffff ? 3 : 8)] = 1;
  a[t * (2147483648 > -1 ? 3 : 8)] = 1;
  a[t * (int)sizeof(037777777777)] = 1;
  a[t * (int)sizeof(4294967295)] = 1;
  constexpr unsigned short w = 65536 + 3;
  constexpr signed char y = 259;
  a[t * w] = 1;
  a[t * y] = 1;
  a[t * ('\377' < 0 ? 3 : 8)] = 1;
}
