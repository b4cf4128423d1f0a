//@ launch k199 grid=(5) block=(4,4,4) args(g=i32[65536], m=?3)
// `Sort::A * g[at];` reads like a declaration; an operator of the user's may write through its operand.
enum class Sort { A = 7, B = 7 };
__device__ inline Sort operator*(Sort s, int &x) {
    x = int(s) + 7;
    return s;
}
__global__ void k199(int *g, int m) {
    __shared__ short s[2048];
    using Other = Sort;
    int t = threadIdx.x;
    for (int i = 0; i < m; ++i) {
        int own = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        Sort::A * g[own + 64];
        Other::B * g[own + 256];
        s[((g[own + 64] & 7) * (t & 15)) & 2047] = 1;
    }
}
