// `(a + ... + b)`: names tell which side has the pack, and in which order the operands are taken.
template <int... I>
struct Steps {};

template <int... I>
__device__ int from_value(int x, Steps<I...>) {
    return (x - ... - I);
}
template <int... I>
__device__ int to_value(int x, Steps<I...>) {
    return (I - ... - x);
}
template <int... I>
__device__ int products(int x, int y, Steps<I...>) {
    return (y + ... + (I * x));
}
template <class... T>
__device__ bool each(bool before, T... t) {
    return (before && ... && t);
}
__global__ void folds(float *p) {
    int t = threadIdx.x;
    p[from_value(t * 3 + 64, Steps<1, 2, 4>{})] = 1;
    p[to_value(t * 5, Steps<400, 2, 7>{}) + 400] = 2;
    p[products(t, 3, Steps<1, 2, 4>{})] = 3;
    if (each(t > 3, t < 20, t != 9)) p[t] = 4;
}

int main() {
    float *p;
    cudaMalloc(&p, 1 << 16);
    folds<<<1, 32>>>(p);
}
