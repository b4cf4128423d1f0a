// A pragma packs a struct.
//@ launch r08_pragma_pack grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
#pragma pack(push, 1)
struct Q08 {
  char tag;
  int value;
};
#pragma pack(pop)
__global__ void r08_pragma_pack(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[t * sizeof(Q08)] = 1;
}
