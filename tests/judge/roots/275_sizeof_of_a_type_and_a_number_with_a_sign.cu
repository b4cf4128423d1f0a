// `sizeof(T)-1`, `sizeof(T) +1` where `T` can only be a type: the grammar makes of it the size of `(T)-1`, and the number is lost.
struct P {
  float x, y;
};
enum { MASK = sizeof(int)-1 };
constexpr int LAST = sizeof(P *)-1;
__global__ void stride(int *a) { a[threadIdx.x * (sizeof(float)-1)] = 1; }
__global__ void product(int *a, int n) { a[threadIdx.x * (sizeof(short)*4-1)] = 1; }
__global__ void spaced(int *a) { a[threadIdx.x * (sizeof(unsigned) -2)] = 1; }
__global__ void elaborated(int *a) { a[threadIdx.x * (sizeof(struct P)-1)] = 1; }
__global__ void plus(int *a) { a[threadIdx.x * (sizeof(char)+2)] = 1; }
__global__ void enumerator(int *a) { a[threadIdx.x * MASK] = 1; }
__global__ void constant(int *a) { a[threadIdx.x * LAST] = 1; }
__global__ void rounded(int *a) { a[threadIdx.x * ((3 + sizeof(long)-1) / sizeof(long) * 2)] = 1; }
__global__ void quotient(int *a) { a[threadIdx.x * 4 + (threadIdx.x+sizeof(int)-1)/sizeof(int)] = 1; }
__global__ void table(float *a) {
  __shared__ float s[32][sizeof(int)*2-1], u[32 * (sizeof(double)-1)];
  s[threadIdx.x][0] = 1;
  u[threadIdx.x * (sizeof(double)-1)] = 1;
  float v[sizeof(int)-1];
  a[threadIdx.x * (sizeof(v) / sizeof(*v))] = 1;
}
__global__ void turns(int *a) {
  int n = 0;
  for (int i = sizeof(int)-1; i < sizeof(double)-3; i++) n++;
  a[threadIdx.x * n] = 1;
}
__global__ void given(int *a, int n) { a[threadIdx.x * n] = 1; }
int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  stride<<<1, 32>>>(a);
  product<<<1, 32>>>(a, 1);
  spaced<<<1, 32>>>(a);
  elaborated<<<1, 32>>>(a);
  plus<<<1, 32>>>(a);
  enumerator<<<1, 32>>>(a);
  constant<<<1, 32>>>(a);
  rounded<<<1, 32>>>(a);
  quotient<<<1, 32>>>(a);
  table<<<1, 32>>>((float *)a);
  turns<<<1, 32>>>(a);
  given<<<1, 32>>>(a, sizeof(int)-1);
}
