// Members that their class only declares: of classes of one name, of overloads, of instances of a template.
//@ launch r51_members_defined_outside grid=(1) block=(64) args(a=f32[65536], n=?33)
namespace u { struct C { __device__ int at(int i); static const int step; }; __device__ int C::at(int i) { return i; } const int C::step = 1; }
namespace v { struct C { __device__ int at(int i); static const int step; }; __device__ int C::at(int i) { return i * 8; } const int C::step = 8; }
struct O { __device__ int at(int i); __device__ int at(unsigned i); __device__ int at(float *p); };
__device__ int O::at(int i) { return i; }
__device__ int O::at(unsigned i) { return (int)i * 8; }
template <class T> struct S { __device__ int at(int i); };
template <class T> __device__ int S<T>::at(int i) { return i; }
template <> __device__ int S<float>::at(int i) { return i * 8; }
template <> struct S<char> { __device__ int at(int i); };
__device__ int S<char>::at(int i) { return i * 4; }
__device__ int f(int i, int step = 1) { return i * step; }
__device__ int f(float x, int i, int step);
__device__ int f(unsigned i, int step);
__device__ int f(unsigned i, int step = 8) { return i * step; }
struct P { struct In { __device__ int at(int i); }; };
struct Q { struct In { __device__ int at(int i); }; };
__device__ int P::In::at(int i) { return i; }
__device__ int Q::In::at(int i) { return i * 8; }
struct R { __device__ int at(int i, int s = 1); __device__ int at(unsigned i, int s = 8);};
__device__ int R::at(int i, int s) { return i * s; }
__device__ int R::at(unsigned i, int s) { return i * s; }
__global__ void r51_members_defined_outside(float *a, int n) {
  int t = threadIdx.x;
  u::C c; v::C d; O o;
  a[c.at(t)] = 1;
  a[d.at(t)] = 1;
  a[o.at(t)] = 1;
  a[o.at(threadIdx.x)] = 1;
  S<int> si; S<float> sf; S<char> sc;
  a[si.at(t)] = 1;
  a[sf.at(t)] = 1;
  a[sc.at(t)] = 1;
  a[f(t)] = 1;
  a[f(threadIdx.x)] = 1;
  P::In p; Q::In q;
  a[p.at(t)] = 1;
  a[q.at(t)] = 1;
  R r;
  a[r.at(t)] = 1;
  a[r.at(threadIdx.x)] = 1;
  a[u::C::step * t] = 1;
  a[v::C::step * t] = 1;
}
