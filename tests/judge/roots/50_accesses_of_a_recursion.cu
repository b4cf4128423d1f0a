// A function that calls itself makes its accesses again, in calls that are not followed.
__device__ void again50(float *a, int t, int d) {
  a[t * d] = 1;
  if (d > 1) again50(a, t, d - 1);
}
__global__ void r50_recursion(float *a) { again50(a, threadIdx.x, 2); }
