// Members of constant objects as template arguments of a launch.
struct Shape {
    int rows, columns;
};
constexpr Shape doubled(int n) {
    int twice = n * 2;
    return {twice, n + 1};
}
template <class A, class B>
struct Both {
    A first;
    B second;
    constexpr Both(const A &a, const B &b) : first(a), second(b) {}
};
constexpr auto both(int n) {
    return Both<int, long>(n * 3, n);
}

template <int S, int O>
__global__ void strided(float *p) {
    p[threadIdx.x * S + O] = 1;
}

int main() {
    float *p;
    cudaMalloc(&p, 1 << 16);
    constexpr Shape shape = doubled(3);
    strided<shape.rows, shape.columns><<<1, 32>>>(p);
    constexpr auto two = both(5);
    strided<two.first, two.second><<<1, 32>>>(p);
}
