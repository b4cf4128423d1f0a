// A guard on a remainder: of every sequence half the lanes pass it, and in no block all of them.
//@ launch r23_half_of_each_sequence grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r23_half_of_each_sequence(float *a, const int *d, int n, int m) {
  int i = blockIdx.x * 32 + threadIdx.x;
  int length = (n & 7) + 2;
  if (i < length * (i / length) + length / 2)
    a[i & 4095] = 1;
}
