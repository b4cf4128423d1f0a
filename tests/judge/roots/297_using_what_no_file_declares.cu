// A using-declaration of a namespace hides outer names, also of what the files given do not declare; a `switch` may
// declare names in front of its first label.
constexpr int n = 8;
namespace a { constexpr int m = 3; }
namespace q {
using a::m;
__global__ void k(float *o) { o[threadIdx.x * m] = 1; }
}
__global__ void labels(float *o, int c) {
  int n = 8;
  switch (c) {
    using a::m;
    int n;
    case 1: n = 2; o[threadIdx.x * n] = 1; break;
    case 2: n = m; o[threadIdx.x * n] = 1; break;
  }
  o[threadIdx.x * n + 1] = 1;
}
int main() {
  float *d;
  cudaMalloc(&d, 1 << 16);
  q::k<<<1, 32>>>(d);
  labels<<<1, 32>>>(d, 1);
  labels<<<1, 32>>>(d, 2);
}
