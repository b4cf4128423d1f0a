// One of two places is returned by reference, and getting there changes something.
//@ launch r07_choice_with_effects grid=(2) block=(64) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
__device__ int &pick07(bool b, int *v, int &k) { return b ? v[k++] : v[3]; }
__global__ void r07_choice_with_effects(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  int v[4] = {1, 2, 4, 8}, k = 1;
  pick07(n > 4, v, k) = 16;
  a[t * v[1]] = 1;
  a[t * k + 1] = 2;
}
