// Where a loop has one way out, lanes may wait for each other in front of it: those of several iterations store together.
//@ launch r112_stored_on_the_only_way_out grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r112_stored_on_the_only_way_out(float *a, int n) {
  int t = threadIdx.x, i = 0;
  for (;;) {
    a[i] = 2;
    if (++i > t) {
      a[i * 8] = 1;
      break;
    }
  }
  a[t * 2] = 1;
}

//@ launch r112_found_by_all grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r112_found_by_all(float *a, int n) {
  int t = threadIdx.x, i = 0;
  while (true) {
    a[t * i] = 2;
    if (++i > (n & 7)) {
      a[i * t] = 1;
      break;
    }
  }
}

__device__ int r112_probe(float *a, int t) {
  for (int i = 0;; i += 3) {
    if (i % 7 == (t & 3)) {
      a[i * 16] = 1;
      return i;
    }
    a[t + i] = 1;
  }
}
//@ launch r112_returned grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r112_returned(float *a, int n) {
  int t = threadIdx.x;
  int found = r112_probe(a, t);
  a[t * 3] = 1;
  a[found + t] = 1;
}

//@ launch r112_in_a_loop grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r112_in_a_loop(float *a, int n) {
  int t = threadIdx.x;
  for (int i = t & 7; i--;) {
    int j = 0;
    for (;;) {
      j += 1;
      if (j == t) {
        a[(t | 7) + t] = 1;
        break;
      }
    }
  }
}
