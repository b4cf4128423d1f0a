// A packed struct has no gaps.
//@ launch r08_packed_attribute grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
struct __attribute__((packed)) P08 {
  char tag;
  int id;
};
__global__ void r08_packed_attribute(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[t * sizeof(P08)] = 1;
}
