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
// A class without a name that a variable has gives its members to the variable alone.
//@ launch r51_unnamed_class_of_a_variable grid=(2) block=(64) args(a=f32[65536], st=8)
__global__ void r51_unnamed_class_of_a_variable(float *a, int st) {
  int t = threadIdx.x;
  struct {
    int st, t;
  } z = {1, 2};
  union {
    int st;
    float f;
  } u, *p = &u;
  p->st = 3;
  a[t * st] = 1;
  a[z.st * t + z.t] = 2;
  a[t * u.st] = 3;
}
