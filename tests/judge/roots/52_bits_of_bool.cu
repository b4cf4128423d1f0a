// Bit-fields of `bool` hold numbers of one bit, not bytes.
struct Flags {
  bool first : 1;
  bool second : 1;
  unsigned rest : 6;
};
//@ launch k grid=(2) block=(64) args(a=f32[65536], n=?3)
__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  Flags f = {true, false, 5};
  a[t * (f.first ? 4 : 5)] = 1;
  a[t * (f.second ? 4 : 5)] = 1;
  f.second = 2;
  a[t * (f.second ? 2 : 3)] = 1;
  f.first ^= true;
  a[t * (f.first ? 6 : 7) + f.rest] = 1;
  f.first = n;
  a[t * (f.first ? 8 : 1)] = 1;
  f.second |= false;
  a[t * (int(f.second) + 8)] = 1;
}
