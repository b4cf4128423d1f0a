template &class T>
struct S {};

__global__ void healthy(float *o) {
  o[threadIdx.x] = 1;
}
