// What is derived from a class lies in the padding of that class, unless it is a structure as C has them.
class Closed {
  int x;
  char c;
};
struct Hidden {
  int y() {
    return x;
  }

protected:
  int x;
  char c;
};
struct Initialised {
  int x = 0;
  char c;
};
struct Referring {
  int &x;
  char c;
};
struct Holding {
  int x;
  Hidden of[2];
  char c;
};
struct Static {
private:
  static int p;
  int f();

public:
  int x;
  char c;
};
struct Defaulted {
  Defaulted() = default;
  int x;
  char c;
};
struct Nameless {
  unsigned short : 9;
};
struct D1 : Closed {
  char d;
};
struct D2 : Hidden {
  char d;
};
struct D3 : Initialised {
  char d;
};
struct D4 : Referring {
  char d;
};
struct D5 : Holding {
  char d;
};
struct D6 : Static {
  char d;
};
struct D7 : Defaulted {
  char d;
};
struct D8 : Nameless {};
struct D9 : Nameless, Closed {
  int d;
};
//@ launch sizes grid=(1) block=(32) args(a=f32[65536])
__global__ void sizes(float *a) {
  int t = threadIdx.x;
  a[(sizeof(D1) == 8 ? 2 : 1) * t] = 1;
  a[(sizeof(D2) == 8 ? 2 : 1) * t] = 1;
  a[(sizeof(D3) == 8 ? 2 : 1) * t] = 1;
  a[(sizeof(D4) == 16 ? 2 : 1) * t] = 1;
  a[(sizeof(D5) == 24 ? 2 : 1) * t] = 1;
  a[(sizeof(D6) == 12 ? 2 : 1) * t] = 1;
  a[(sizeof(D7) == 12 ? 2 : 1) * t] = 1;
  a[(sizeof(D8) == 2 ? 2 : 1) * t] = 1;
  a[(sizeof(D9) == 16 ? 2 : 1) * t] = 1;
}
//@ launch elements grid=(1) block=(32) args(p=f32[65536], q=f32[65536])
__global__ void elements(D2 *p, D5 *q) {
  p[threadIdx.x].d = 1;
  q[threadIdx.x].d = 1;
}
