// One declarator, but the type is written with `::` or `<…>`: read as an assignment, so that the outer `q` is meant behind it.
template <class X> struct W { using Y = X; };
namespace ns { typedef float F; }
__global__ void qualified(float *a) {
  __shared__ float s[4][8], z[4][32];
  int t = threadIdx.x;
  float (*q)[32] = z;
  q[0][t] = 1;
  {
    ns::F (*q)[8] = s;
    q[t % 4][t / 4] = 1;
  }
  {
    W<float>::Y (*q)[8] = s;
    q[t % 4][t / 4] = 2;
  }
  __syncthreads();
  a[t] = s[0][t % 8] + z[0][t];
}
int main() {
  float *a;
  cudaMalloc(&a, 1 << 20);
  qualified<<<1, 32>>>(a);
}
