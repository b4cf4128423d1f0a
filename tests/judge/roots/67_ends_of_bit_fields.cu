// A bit-field of no width ends its unit at the end of a class, too; one without a name asks for no alignment.
struct r67_A {
  char c;
  unsigned : 0;
};
struct r67_B {
  unsigned char f : 6;
  unsigned : 0;
};
struct r67_C {
  unsigned : 0;
  char c;
};
struct r67_D {
  short s;
  long long : 0;
  char c;
};
struct r67_E {
  char a;
  unsigned : 3;
};
struct r67_F {
  char a;
  unsigned : 3;
  char b;
};
union r67_G {
  char c;
  unsigned : 0;
};
//@ launch r67_ends_of_bit_fields grid=(1) block=(32) args(a=f32[65536])
__global__ void r67_ends_of_bit_fields(float *a) {
  int t = threadIdx.x;
  a[t * sizeof(r67_A)] = 1;
  a[t * sizeof(r67_B)] = 1;
  a[t * sizeof(r67_C)] = 1;
  a[t * sizeof(r67_D)] = 1;
  a[t * sizeof(r67_E)] = 1;
  a[t * sizeof(r67_F)] = 1;
  a[t * sizeof(r67_G)] = 1;
}
