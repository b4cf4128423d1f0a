// One call of a macro defines several kernels, and a pack's types may be pointers: each kernel is told of, with its own
// launches.
#define PAIR220(name, F)                                                                                               \
  __global__ void name##_f(int *p) { p[threadIdx.x * F] = 1; }                                                         \
  __global__ void name##_b(int *p) { p[threadIdx.x * (F + 1)] = 1; }
//@ launch r220_kernels_of_one_macro_f grid=(1) block=(64) args(p=i32[65536])
//@ launch r220_kernels_of_one_macro_b grid=(1) block=(96) args(p=i32[65536])
PAIR220(r220_kernels_of_one_macro, 2)
