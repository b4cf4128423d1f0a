// `decltype(x)::value` names a member of the class that `x` is of: of a parameter of a generic lambda, of a
// variable, of a class of the file.
#include <type_traits>

struct Stride {
    static constexpr int value = 7;
    using Wider = std::integral_constant<int, 11>;
};

template <class T, int N>
__global__ void strided(T *p) {
    p[threadIdx.x * N] = 1;
}

__global__ void inside(float *p) {
    std::integral_constant<int, 5> five;
    constexpr int v = decltype(five)::value;
    Stride stride;
    p[threadIdx.x * v + decltype(stride)::value] = 1;
    p[threadIdx.x * decltype(stride)::Wider::value] = 2;
}

template <class T>
void launch(T *p, int m) {
    auto go = [&](auto tag) {
        constexpr int N = decltype(tag)::value;
        const int grid = (m + N - 1) / N;
        strided<T, N><<<grid, 32>>>(p);
    };
    switch (m < 8 ? m : 8) {
    case 1:
        go(std::integral_constant<int, 1>{});
        break;
    case 2:
        go(std::integral_constant<int, 2>{});
        break;
    default:
        go(std::integral_constant<int, 8>{});
    }
    auto direct = [&](auto n) { strided<T, n><<<2, 64>>>(p); };
    direct(std::integral_constant<int, 3>{});
    direct(std::integral_constant<unsigned, 9>{});
}

template <class F>
void dispatch(int n, F &&f) {
    if (n < 3)
        f(std::integral_constant<int, 32>{}, std::true_type{});
    else
        f(std::integral_constant<int, 64>{}, std::false_type{});
}

int main() {
    float *p;
    cudaMalloc(&p, 1 << 16);
    launch(p, 1);
    launch(p, 2);
    launch(p, 5);
    for (int n = 0; n < 5; ++n)
        dispatch(n, [&](auto size, auto more) {
            strided<float, decltype(size)::value + decltype(more)::value><<<1, decltype(size)::value>>>(p);
        });
    Stride stride;
    strided<float, decltype(stride)::value><<<1, 96>>>(p);
    inside<<<1, 32>>>(p);
}
