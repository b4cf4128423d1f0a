// A virtual function adds a pointer to a struct.
//@ launch r08_virtual_function grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
struct V08 {
  int id;
  virtual ~V08() {}
};
__global__ void r08_virtual_function(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[t * sizeof(V08)] = 1;
}
