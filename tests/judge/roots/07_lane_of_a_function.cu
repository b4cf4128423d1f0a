// A function that is not followed decides by the lane.
//@ launch r07_lane_of_a_function grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__device__ int own07(int k) { return k > 0 ? own07(k - 1) : threadIdx.x; }
__global__ void r07_lane_of_a_function(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[own07(m & 3) * 8 + (t & 0)] = 1;
}
