// A loop's variable hides a parameter of the same name: cases are those of the loop.
//@ launch r30_loop_named_as_a_parameter grid=(2) block=(64) args(o=f32[65536], stride=?64)
__global__ void r30_loop_named_as_a_parameter(float *o, int stride) {
  __shared__ float s[256];
  int t = threadIdx.x;
  for (int stride = 64; stride > 0; stride >>= 1) {
    int at = 2 * t - (t & (stride - 1));
    s[at] = t;
    __syncthreads();
  }
  o[t] = s[t] + stride;
}
