// The members of a union without a name are names of the block, and share their bytes.
//@ launch r51_unnamed_union grid=(2) block=(64) args(a=f32[65536], st=8)
__global__ void r51_unnamed_union(float *a, int st) {
  int t = threadIdx.x;
  {
    union {
      int st;
      unsigned char bytes[4];
    };
    st = 1;
    a[t * st] = 1;
    bytes[1] = 1;
    a[t * st] = 2;
  }
  a[t * st] = 3;
}
