struct Trio {
    int p;
    int q;
    int r;
};
struct Copied {
    int p;
    int q;
    Copied() = default;
    __device__ Copied(int p, int q) : p(p), q(q) {}
    __device__ Copied(const Copied &o)
        : p(o.p),
          q(o.q) {}
    __device__ Copied &operator^=(Copied o) {
        p = o.p;
        return *this;
    }
};
struct Called {
    int p;
    int q;
    template <class T> __device__ Called &operator()(T &&x) {
        x = q + 7;
        q += 7;
        return *this;
    }
};
struct Holder {
    int before;
    Called in;
};
struct Made {
    int f, h;
    __device__ Made(int &o) {
        f = o;
        h = 1;
        o = 1;
    }
};
__global__ void comma(float *a, int n) {
    int t = threadIdx.x;
    Trio x{6, 7, 6}, y{6, 7, 6}, z{2, 7, 7};
    (z, ((n > 2) ? x : y)).r = 64;
    a[t * x.r] = 1;
    (n > 3, n > 2 ? x : y).q = n & 3;
    a[t * y.q] = 1;
}
__global__ void called(float *a, int n) {
    int t = threadIdx.x;
    Holder o{8, {6, 4}};
    int x = 7, y = 7;
    o.in((n > 2) ? x : y).q = 5;
    a[t * x] = 1;
    a[t * y] = 1;
}
__global__ void bound(float *a, int n) {
    int t = threadIdx.x;
    int y = 32;
    int &x = y;
    const Made &q = x;
    a[t * (q.f & 15)] = 1;
    a[t * y] = 1;
}
__global__ void copied(float *a, Copied *w) {
    int t = threadIdx.x;
    __shared__ Copied o[32];
    __shared__ Copied all;
    if (t == 0) all = Copied{3, 5};
    o[t] = Copied{t, 2};
    __syncthreads();
    Copied q = o[(t * 7) & 31] ^= all;
    a[t * (q.p & 7)] = 1;
    Copied r = (w[t * 4] = all);
    a[t * (r.q & 7)] = 1;
}
int main() {
    float *a;
    Copied *w;
    cudaMalloc(&a, 1 << 20);
    cudaMalloc(&w, 1 << 20);
    comma<<<2, 64>>>(a, 5);
    comma<<<2, 64>>>(a, 1);
    called<<<1, 32>>>(a, 7);
    called<<<1, 32>>>(a, 0);
    bound<<<1, 32>>>(a, 1);
    copied<<<1, 32>>>(a, w);
}
