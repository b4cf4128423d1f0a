// An address that was a number on the way.
//@ launch r17_address_as_a_number grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r17_address_as_a_number(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  uintptr_t p = (uintptr_t)a + t * 64;
  *(float *)p = 1;
}
