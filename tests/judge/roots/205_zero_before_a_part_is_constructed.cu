//@ launch k205 grid=(2) block=(64) args(a=i32[65536], b=i32[65536])
// `S()` of a class without a constructor of its own: all of it is zero before its parts are made.
#include <new>
struct In {
    int w, v;
    __device__ In(int x = 2) : w(1), v(x) {}
};
struct Part {
    In of;
};
struct S : Part {
    int last;
    In one;
};
__global__ void k205(int *a, const int *b) {
    int t = threadIdx.x;
    S made = *new ((S *)a + (t & 3)) S();
    a[made.of.v * t + 512] = b[t * (made.one.w + 2)];
    a[made.last * t + t + 1024] = 1;
}
