// A constructor over the pack of its class takes as many arguments as the class has, no fewer.
template <class T>
struct Plain {
    typedef T type;
};
template <class T>
struct Plain<T &> {
    typedef T type;
};

template <class... T>
struct Row;
template <>
struct Row<> {};
template <class H, class... R>
struct Row<H, R...> : Row<R...> {
    H head;
    __device__ constexpr Row() : Row<R...>(), head() {}
    __device__ constexpr Row(const H &h, const R &...r) : Row<R...>(r...), head(h) {}
    template <class U>
    __device__ constexpr Row(U *u) : Row<R...>(), head(u[1]) {}
};
template <class... T>
__device__ Row<typename Plain<T>::type...> row(T &&...t) {
    return Row<typename Plain<T>::type...>(t...);
}

__global__ void rows(float *p) {
    int own[2] = {3, (int)threadIdx.x * 5};
    Row<int, int> by_pointer(own);
    p[by_pointer.head] = 1;
    Row<int, int> made = row(2, (int)threadIdx.x * 3);
    p[static_cast<Row<int> &>(made).head] = 2;
    Row<int, int, int> three = row(2, (int)threadIdx.x * 2, (int)threadIdx.x * 7);
    p[static_cast<Row<int> &>(three).head] = 3;
    p[static_cast<Row<int, int> &>(three).head] = 4;
}

int main() {
    float *p;
    cudaMalloc(&p, 1 << 16);
    rows<<<1, 32>>>(p);
}
