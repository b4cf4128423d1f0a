// A base that the grammar cannot read is dropped without a word (classes.rs, `record`: `Kind::Error` in the base clause): `struct S : decltype(P{})`.
struct P {
  float x, y;
  int z[5];
};
struct S : decltype(P{}) {
  int b;
};
template <class X> struct T : decltype(X{}) {
  int b;
};
__global__ void plain(S *s) { s[threadIdx.x].b = 1; }
__global__ void dependent(T<P> *s) { s[threadIdx.x].b = 1; }
__global__ void size(int *a) { a[threadIdx.x * sizeof(S) / 4] = 1; }
int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  plain<<<1, 32>>>((S *)a);
  dependent<<<1, 32>>>((T<P> *)a);
  size<<<1, 32>>>(a);
}
