// Two objects made by constructors in one declaration.
//@ launch r04_two_objects grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
struct C04 {
  int v;
  __device__ C04(int x) : v(x) {}
};
__global__ void r04_two_objects(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  C04 c1(t), c2(t * 8);
  a[c2.v] = 1;
  C04 c3(t * 4), c4(c3);
  a[c4.v] = 1;
}
