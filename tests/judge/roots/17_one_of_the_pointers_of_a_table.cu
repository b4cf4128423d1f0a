// A subscript that lanes share picks one of the pointers of a table.
//@ launch r17_one_of_the_pointers_of_a_table grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r17_one_of_the_pointers_of_a_table(float *a, const int *d, int n, int m) {
  float *table[3] = {a, a + 1024, a + 2051};
  table[n & 1][threadIdx.x] = 1;
  table[m % 3][threadIdx.x * 2] = 2;
}
