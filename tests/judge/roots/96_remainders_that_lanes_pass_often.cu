// Where a warp passes many multiples of a divisor, each lane's quotient is known but for one step.
//@ launch r96_remainders_that_lanes_pass_often grid=(3) block=(16,4) args(a=f32[65536], n=?13)
__global__ void r96_remainders_that_lanes_pass_often(float *a, int n) {
  __shared__ float s[2048];
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  s[t * 882 % 1024] = 1;
  s[(t * 282 + 7) % 2048] = 1;
  s[(t * 300 + blockIdx.x) & 1023] = 1;
  unsigned u = n;
  s[(t * 97 + u) & 2047] = 1;
  s[(u * 2 + t * 5000u) % 1000] = 1;
  a[(t * 1000 + u) % 6000] = 1;
  a[(t * 40 + u) / 700] = 1;
  a[(t * 9000 + u * 8) / 6000] = 1;
  a[(t * -900 + (int)(u & 4095)) & 8191] = 1;
}
