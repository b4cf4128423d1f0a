// Values of an enumeration are of the first type that has them all: `int`, `unsigned`, `long`.
enum High { high = 0x80000000u, higher };
enum All { all = 0xffffffff };
enum Far { far_ = 1LL << 40 };
enum Mixed { less = -1, more = 0xffffffff };
struct S1 {
  Far e;
  char c;
};
struct S2 {
  Mixed e;
  char c;
};
//@ launch values grid=(1) block=(32) args(a=f32[65536])
__global__ void values(float *a) {
  int t = threadIdx.x;
  a[((high + high) == 0 ? 2 : 1) * t] = 1;
  a[(high > -1 ? 2 : 1) * t] = 1;
  a[((high << 1) == 0 ? 2 : 1) * t] = 1;
  a[(-high > 0 ? 2 : 1) * t] = 1;
  a[((all + 1) == 0 ? 2 : 1) * t] = 1;
  a[(higher * 2u) * t] = 1;
  a[(all * all) * t] = 1;
  a[((all << 4) >> 4 == all ? 2 : 1) * t] = 1;
  a[(less - 1 < 0 ? 2 : 1) * t] = 1;
  a[(sizeof(S1) == 16 ? 2 : 1) * t] = 1;
  a[(sizeof(S2) == 16 ? 2 : 1) * t] = 1;
}
