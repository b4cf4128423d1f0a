// Lanes that return from one case leave those of the cases before it.
//@ launch r55_return_1 grid=(3) block=(64) args(a=f32[65536], n=?6)
__global__ void r55_return_1(float *a, int n) {
  int t = threadIdx.x;
  switch (t >> 4) {
  case 1: a[t * 2] = 1;
  case 2: a[t * 3] = 3; break;
  default: if (t & 1) return;
  }
  a[t * 5] = 5;
}
//@ launch r55_return_2 grid=(3) block=(64) args(a=f32[65536], n=?6)
__global__ void r55_return_2(float *a, int n) {
  int t = threadIdx.x;
  switch (t >> 4) {
  case 2: a[t * 3] = 3; break;
  default: if (t & 1) return;
  }
  a[t * 5] = 5;
}
//@ launch r55_return_3 grid=(3) block=(64) args(a=f32[65536], n=?6)
__global__ void r55_return_3(float *a, int n) {
  int t = threadIdx.x;
  if (t >> 4 == 2) { a[t * 3] = 3; } else {
   if (t & 1) return;
  }
  a[t * 5] = 5;
}
//@ launch r55_return_4 grid=(3) block=(64) args(a=f32[65536], n=?6)
__global__ void r55_return_4(float *a, int n) {
  int t = threadIdx.x;
  switch (t >> 4) {
  case 2: a[t * 3] = 3; break;
  default: if (t & 1) return;
   a[t * 4] = 4;
  }
  a[t * 5] = 5;
}
//@ launch r55_return_5 grid=(3) block=(64) args(a=f32[65536], n=?6)
__global__ void r55_return_5(float *a, int n) {
  int t = threadIdx.x;
  if (t >= 16) {
  if (t < 32) a[t * 2] = 1;
  else if (t < 48) a[t * 3] = 3;
  else { if (t & 1) return; a[t * 4] = 4; }
  }
  a[t * 5] = 5;
}
