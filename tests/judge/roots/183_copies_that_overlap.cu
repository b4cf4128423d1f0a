// `memmove` reads all before it writes: element by element, the first one was copied on and on.
#include <cstring>
//@ launch moved grid=(1) block=(64) args(out=f32[4096])
__global__ void moved(float *out) {
  int t = threadIdx.x;
  int up[4] = {1, 2, 3, 4}, down[4] = {1, 2, 3, 4};
  short narrow[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  memmove(up + 1, up, 12);
  memmove(down, down + 1, 12);
  memmove(narrow + 1, narrow, 14);
  out[t * up[3]] = 1;
  out[t * up[1] * 2] = 1;
  out[t * down[0]] = 1;
  out[t * narrow[7]] = 1;
  out[t * narrow[2]] = 1;
}
