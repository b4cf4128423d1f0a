// A loop that counts up to the lane.
//@ launch r11_count_to_the_lane grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__global__ void r11_count_to_the_lane(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int i = 0;
  while (i < t)
    i++;
  a[i * 8] = 1;
}
