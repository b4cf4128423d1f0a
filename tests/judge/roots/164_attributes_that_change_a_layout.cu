// Alignments stand in front of names and behind them, at names of types, and several at one name.
typedef int __attribute__((aligned(16))) Wide;
using Wide2 = int __attribute__((aligned(16)));
typedef float Four[4] __attribute__((aligned(32)));
typedef float Vector __attribute__((vector_size(16)));
struct A1 {
  char c;
  Wide x;
};
struct A2 {
  char c;
  Wide2 x;
};
struct A3 {
  char c;
  int x __attribute__((aligned(16)));
};
struct A4 {
  char c __attribute__((aligned(4))), d;
};
struct A5 {
  char c, d __attribute__((aligned(4))), e;
};
struct A6 {
  char c;
  alignas(int) alignas(16) alignas(8) char d;
};
struct A7 {
  char c;
  alignas(16) struct {
    int q;
  } s;
  char d;
};
struct A8 {
  char c;
  int x __attribute__((packed));
  short s;
};
struct __attribute__((aligned)) A9 {
  char c;
};
struct A10 {
  char c;
  Vector v;
};
struct A11 {
  char c;
  Four f;
};
struct A12 {
  char c;
  int x alignas(8);
};
struct A13 {
  char c;
  void (A12::*m)();
  char d;
};
struct A14 {
  char c;
  unsigned __int128 x;
};
struct Head {
  int x;
  char c;
};
struct __attribute__((packed)) A15 : Head {
  short s;
};
enum __attribute__((packed)) Small { first, second };
struct A16 {
  Small p;
  short s;
};
struct __attribute__((packed)) A17 {
  char c : 7;
  int x;
  alignas(32) short s;
};
//@ launch sizes grid=(1) block=(32) args(a=f32[65536])
__global__ void sizes(float *a) {
  int t = threadIdx.x;
  a[(sizeof(A1) == 32 ? 2 : 1) * t] = 1;
  a[(sizeof(A2) == 32 ? 2 : 1) * t] = 1;
  a[(sizeof(A3) == 32 ? 2 : 1) * t] = 1;
  a[(sizeof(A4) == 4 ? 2 : 1) * t] = 1;
  a[(sizeof(A5) == 8 ? 2 : 1) * t] = 1;
  a[(sizeof(A6) == 32 ? 2 : 1) * t] = 1;
  a[(sizeof(A7) == 32 ? 2 : 1) * t] = 1;
  a[(sizeof(A8) == 8 ? 2 : 1) * t] = 1;
  a[(sizeof(A9) == 16 ? 2 : 1) * t] = 1;
  a[(sizeof(A10) == 32 ? 2 : 1) * t] = 1;
  a[(sizeof(A11) == 64 ? 2 : 1) * t] = 1;
  a[(sizeof(A12) == 16 ? 2 : 1) * t] = 1;
  a[(sizeof(A13) == 32 ? 2 : 1) * t] = 1;
  a[(sizeof(A14) == 32 ? 2 : 1) * t] = 1;
  a[(sizeof(A15) == 12 ? 2 : 1) * t] = 1;
  a[(sizeof(A16) == 4 ? 2 : 1) * t] = 1;
  a[(sizeof(A17) == 64 ? 2 : 1) * t] = 1;
}
//@ launch elements grid=(1) block=(32) args(p=f32[65536], q=f32[65536], r=f32[65536])
__global__ void elements(A3 *p, A5 *q, unsigned __int128 *r) {
  p[threadIdx.x].x = 1;
  q[threadIdx.x].e = 1;
  r[threadIdx.x] = 1;
}
