// `int (w)(5);`, `T (n)(2);`, `unsigned (n)(2), m(3);` declare: read as calls of what calls give. `goes_on` of `declarator_in_parens` has no `(`.
typedef int T;
__global__ void builtin(int *a) {
  int w = 3;
  {
    int (w)(5);
    a[threadIdx.x * w] = 1;
  }
  a[threadIdx.x * w + 4096] = 1;
}
__global__ void named(int *a) {
  int n = 1;
  {
    T (n)(2);
    a[threadIdx.x * n] = 1;
  }
}
__global__ void several(int *a) {
  int n = 1;
  {
    unsigned (n)(2), m(3);
    a[threadIdx.x * n] = m;
  }
}
int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  builtin<<<1, 32>>>(a);
  named<<<1, 32>>>(a);
  several<<<1, 32>>>(a);
}
