// `template <auto>`: 4, '\4' and 4ull are three instances; so are classes made with them.
template <auto V> __global__ void k(float *p) { p[threadIdx.x * sizeof(V)] = 1; }
template <auto V> __global__ void sign(float *p) { p[((int)threadIdx.x - 32 + V > 0 ? 1 : 2) * threadIdx.x] = 1; }
template <auto V> struct C { static constexpr int v = sizeof(V); };
template <class T> __global__ void c(float *p, T) { p[threadIdx.x * T::v] = 1; }
template <auto V, decltype(V) W = V> __global__ void d(float *p) { p[threadIdx.x * sizeof(W)] = 1; }
int main() {
  float *p;
  cudaMalloc(&p, 1 << 20);
  k<4><<<1, 32>>>(p);
  k<'\4'><<<1, 32>>>(p);
  k<4ull><<<1, 32>>>(p);
  sign<1><<<1, 32>>>(p);
  sign<1u><<<1, 32>>>(p);
  c<<<1, 32>>>(p, C<1>());
  c<<<1, 32>>>(p, C<'\1'>());
  d<1><<<1, 32>>>(p);
  d<(short)1><<<1, 32>>>(p);
}
