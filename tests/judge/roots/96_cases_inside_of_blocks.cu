// Labels of a `switch` inside of its loops, branches and blocks: a lane goes on from where it came in.
//@ launch r96_cases_inside_of_blocks grid=(2) block=(32) args(a=f32[65536], n=?13, m=?3)
__device__ int r96_known(int v) {
  int x = 1;
  switch (v) {
    int y;
    case 0: {
      x += 10;
      case 1:
        y = 3;
        x += y;
    }
    default: x *= 2;
  }
  return x;
}
template <class T>
__device__ int r96_while(T v, int n) {
  int x = 1, i = 0;
  switch (v) {
    while (i < 3) {
      x += 1;
      case 2: i += 1;
      if (n > 4) continue;
      x += 8;
      case 5:
        if (x > 30) break;
        x += 2;
    }
    x += 64;
    break;
    case 1:
    case 3: x = 7;
  }
  return x;
}
__device__ int r96_for(int v, int n) {
  int x = 0, i = 1;
  switch (v & 3) {
    case 0: x = 4;
    for (i = 0; i < 3; x += i, ++i) {
      default: x += 1;
      if (n == 2) continue;
      {
        x += 16;
        case 3: x += 2;
      }
    }
  }
  return x + i;
}
__device__ int r96_if(int v, int n) {
  int x = 0;
  switch (v & 7) {
    case 0: x = 1;
    if (n & 1) {
      x += 2;
      case 1: x += 4;
    } else {
      x += 8;
      case 2: x += 16;
      case 4:
        if (v > 9) return x + 100;
    }
    x += 32;
    break;
    case 5: x = 3;
  }
  return x;
}
__global__ void r96_cases_inside_of_blocks(float *a, int n, int m) {
  int t = threadIdx.x;
  int x = 0;
  switch (t & 3) {
    case 0:
      do {
        x += 1;
        case 3: a[t * x + 1] = 1;
        case 2: x += 2;
        case 1: x += 3;
      } while (x < n);
  }
  a[t * x] = 1;
  a[t * r96_known(0)] = 1;
  a[t * r96_known(1)] = 1;
  a[t * r96_known(m)] = 1;
  a[t * r96_while(m, n)] = 1;
  a[t * r96_for(m, n)] = 1;
  a[t * r96_if(m, n)] = 1;
  a[r96_while(t & 7, n)] = 1;
  a[r96_for(t, n)] = 1;
  a[r96_if(t, n)] = 1;
}
