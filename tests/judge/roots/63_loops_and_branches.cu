// Every iteration has values of its own, every branch its lanes, and lanes that left stay away.
struct r63_Held { char c; double x; char e; };
__device__ int r63_chosen(int) { return 3; }
__device__ int r63_chosen(long) { return 8; }
//@ launch r63_loops_and_branches grid=(1) block=(32) args(a=f32[65536])
__global__ void r63_loops_and_branches(float *a) {
  int t = threadIdx.x;
  int x = 0;
  for (int j = 0; j < 3; ++j) {
    a[t * x] = 1;
    x += 2;
  }
  if (t < 8)
    a[t * 4] = 1;
  else
    a[t * 4 + 1] = 1;
  for (int s = 1; s < 100; s *= 3)
    a[t] = 1;
  unsigned char y = 250;
  for (int j = 0; j < 2; ++j)
    y += 4;
  a[t * y] = 1;
  unsigned short z = 65533;
  for (int j = 0; j < 3; ++j) {
    z += 2;
    a[t * z & 4095] = 1;
  }
  for (int j = 0; j < 8; ++j) {
    a[t * 8 + j] = 1;
    if (t < j)
      break;
  }
  ((r63_Held *)a)[t].x = 1;
  short narrow = 1;
  a[t * r63_chosen(narrow)] = 1;
}
