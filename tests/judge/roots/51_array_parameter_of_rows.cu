// A parameter that is written as an array of rows is a pointer to rows.
template <unsigned N, class T> __device__ void deep(float *a, T r[][N][2]) { a[threadIdx.x * N] = r[0][0][0]; }
template <unsigned N> __device__ void flat(float *a, float r[][N]) { a[threadIdx.x * N] = r[0][0]; }
//@ launch r51_array_parameter_of_rows grid=(2) block=(64) args(a=f32[65536])
__global__ void r51_array_parameter_of_rows(float *a) {
  float x[1][4][2] = {}, y[4][3] = {};
  deep<4>(a, x);
  flat(a, y);
}
