// Two values that are not known for one reason are two values: their difference is not 0.
__device__ int r142_next(int &i) { return i++; }
//@ launch r142_unknowns_differ grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r142_unknowns_differ(float *a, int n) {
  int t = threadIdx.x;
  int i = 5;
  a[r142_next(i) * t - r142_next(i) + 512] = 1;
  auto step = [&] { return ++i; };
  a[(step() - step() + 8) * t] = 1;
  a[(step() - step() * 2 + i) * t & 255] = 1;
}
