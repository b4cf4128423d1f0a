// What the grammar cannot read in a class outside of functions leaves an error node that nobody looks at: a bit-field with an initialiser of
// its own (C++20, accepted in C++17 with a warning) is read as a whole `unsigned`; bounds of `decltype(N){8}` or between `<:` and `:>` are lost.
constexpr int N = 3;
struct Flags {
  unsigned kind : 3 = 2;
  unsigned lane : 5 = 1;
};
struct Braced {
  unsigned kind : 3 {2};
  unsigned lane : 5 {1};
};
struct Bound {
  int all[decltype(N){5}];
};
template <class T, int K> struct W {
  static constexpr int v = K;
};
struct Listed {
  int all[W<int, decltype(N){5}>::v];
};
struct Digraph {
  int all<:5:>;
};
__global__ void flags(Flags *a) { reinterpret_cast<unsigned *>(a + threadIdx.x)[0] = 1; }
__global__ void wraps(int *a) {
  Flags f;
  f.kind = 9;
  a[threadIdx.x * f.kind] = 1;
}
__global__ void braced(Braced *a) { reinterpret_cast<unsigned *>(a + threadIdx.x)[0] = 1; }
__global__ void bound(Bound *a) { reinterpret_cast<unsigned *>(a + threadIdx.x)[0] = 1; }
__global__ void listed(Listed *a) { reinterpret_cast<unsigned *>(a + threadIdx.x)[0] = 1; }
__global__ void digraph(Digraph *a) { reinterpret_cast<unsigned *>(a + threadIdx.x)[0] = 1; }
int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  flags<<<1, 32>>>((Flags *)a);
  wraps<<<1, 32>>>(a);
  braced<<<1, 32>>>((Braced *)a);
  bound<<<1, 32>>>((Bound *)a);
  listed<<<1, 32>>>((Listed *)a);
  digraph<<<1, 32>>>((Digraph *)a);
}
