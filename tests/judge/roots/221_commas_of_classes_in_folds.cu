// A fold over `,` calls the operator of a class; a member of what is no class is no value that all lanes share.
struct Op221 {
  int v, w;
};
__device__ Op221 &operator,(Op221 &a, int o) {
  a.v += o;
  return a;
}
template <class... T> __device__ int all221(Op221 o, T... x) { return (o, ..., x).v; }
//@ launch r221_commas_of_classes_in_folds grid=(3) block=(40) args(a=f32[65536])
__global__ void r221_commas_of_classes_in_folds(float *a) {
  int t = threadIdx.x;
  Op221 o{6, 6};
  if (t % 5 == 1)
    o.v += 6;
  a[(all221(o, 8, 7) & 15) + t * 8] = 1;
}
