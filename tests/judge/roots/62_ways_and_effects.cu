// Which way is taken, and what is done on it.
typedef unsigned char r62_byte;
//@ launch r62_ways_and_effects grid=(1) block=(32) args(a=f32[65536], n=?5, k=259)
__global__ void r62_ways_and_effects(float *a, int n, unsigned char k) {
  int t = threadIdx.x;
  int x = 1;
  switch (t & 7) {
  case 1 ... 3: x = 3; break;
  default: x = 8;
  }
  a[t * x] = 1;
  a[t * (r62_byte)(259)] = 1;
  a[t * k] = 1;
  int i = 3;
  int before = i++;
  a[t * before] = 1;
  a[t * i++] = 1;
  a[t * i] = 1;
  int y = 1;
  if (n > 3 && (y = 8))
    a[t] = 1;
  a[t * y] = 1;
  int z = 1;
  switch (n) {
  case 0: z = 2;
  case 1: z += 3; break;
  default: z = 8;
  }
  a[t * z] = 1;
  int count = 0;
  while (count < t)
    count++;
  a[count * 8] = 1;
}
