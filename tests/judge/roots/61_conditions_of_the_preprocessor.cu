// Operators of #if bind as those of C++ do.
#define r61_G 4
#if r61_G & 4 == 4
#define r61_A 3
#else
#define r61_A 8
#endif
#if r61_G | 1 && r61_G > 5
#define r61_B 3
#else
#define r61_B 8
#endif
#if -1 > 4u
#define r61_C 3
#else
#define r61_C 8
#endif
#if r61_G - 2 - 1 > 1
#define r61_D 3
#elif r61_G << 1 + 1 == 16
#define r61_D 5
#else
#define r61_D 8
#endif
//@ launch r61_conditions_of_the_preprocessor grid=(1) block=(32) args(a=f32[65536])
__global__ void r61_conditions_of_the_preprocessor(float *a) {
  int t = threadIdx.x;
  a[t * r61_A] = 1;
  a[t * r61_B] = 1;
  a[t * r61_C] = 1;
  a[t * r61_D] = 1;
}
