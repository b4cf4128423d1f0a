// A struct is copied on the line of another load.
//@ launch copied grid=(3) block=(64,2) args(a=i32[65536], b=i32[65536], d=i32[65536], n=?5, m=?3, w8=i32[65536])
struct Own {
  int p;
  int q;
  template <class T> __device__ Own &operator=(T o) {
    this->q += o;
    return *this;
  }
};
__device__ inline int number() { return 32; }
__global__ void copied(int *a, const int *b, const int *d, int n, int m, Own *w8) {
  int t = threadIdx.y * blockDim.x + threadIdx.x;
    int own7 = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    Own q13 = (w8[own7 + 4] = d[t * 5]) = number();
    a[(q13.p) * (t & 15)] = 1;
}
