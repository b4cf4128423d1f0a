// A compiler for the host guards an array in shared memory whose class has its own `=`: that is no access of the kernel's.
struct O {
  int p;
  short q;
  __device__ O &operator=(const O &o) {
    q = o.p;
    return *this;
  }
};
//@ launch r57_shared_array grid=(1) block=(32) args(a=f32[65536])
__global__ void r57_shared_array(float *a) {
  int t = threadIdx.x;
  __shared__ O v[64];
  __shared__ O w;
  (v[t & 63] = w).p = 2;
  a[t * 2] = 1;
}
