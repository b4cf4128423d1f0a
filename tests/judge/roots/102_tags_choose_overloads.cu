// Classes of the standard library that stand for numbers choose among overloads: those of two numbers, or of
// numbers of two types, do not convert to each other. An instance of a template may call another one of itself.
#include <type_traits>

__device__ int stride(std::true_type) { return 3; }
__device__ int stride(std::false_type) { return 5; }
__device__ int offset(std::integral_constant<int, 4>) { return 1; }
__device__ int offset(std::integral_constant<unsigned, 4>) { return 2; }
__device__ int offset(std::integral_constant<long, 4>) { return 4; }
__device__ int offset(std::integral_constant<int, 6>) { return 6; }

__global__ void tagged(float *p) {
    p[threadIdx.x * stride(std::true_type{})] = 1;
    p[threadIdx.x * stride(std::integral_constant<bool, false>{})] = 2;
    p[threadIdx.x * offset(std::integral_constant<int, 4>{})] = 3;
    p[threadIdx.x * offset(std::integral_constant<unsigned, 4>{})] = 4;
    p[threadIdx.x * offset(std::integral_constant<long, 4>{})] = 5;
    p[threadIdx.x * offset(std::integral_constant<int, 6>{}) + 1] = 6;
}

template <class T, int N, bool Wide>
__global__ void strided(T *p) {
    p[threadIdx.x * N + Wide] = 1;
}

template <class F>
void configure(std::false_type, bool wide, F &&f) {
    if (wide)
        f(std::true_type{});
    else
        f(std::false_type{});
}

template <class F>
void configure(std::true_type, bool, F &&f) {
    f(std::bool_constant<true>{});
}

template <int First, int Last>
struct Unroll {
    template <class T>
    static void run(int n, T *p) {
        auto launch = [&](auto wide) { strided<T, First, decltype(wide)::value><<<1, 32>>>(p); };
        if (n == First)
            configure(std::false_type{}, n > 1, launch);
        else
            Unroll<First + 1, Last>::run(n, p);
        if (n > 6)
            configure(std::integral_constant<bool, true>{}, false, launch);
    }
};

template <int Last>
struct Unroll<Last, Last> {
    template <class T>
    static void run(int, T *p) {
        strided<T, Last, false><<<2, 16>>>(p);
    }
};

template <class T>
void pick(T *p, int which) {
    int c = 3;
    auto choose = [&](int which) -> void (*)(T *) {
        c = which + 2;
        switch (which) {
        case 1:
            return &strided<T, 2, false>;
        default:
            return c == 4 ? &strided<T, 7, true> : &strided<T, 9, true>;
        }
    };
    auto kernel = choose(which);
    kernel<<<1, 64>>>(p);
}

int main() {
    float *p;
    cudaMalloc(&p, 1 << 16);
    tagged<<<1, 32>>>(p);
    for (int n = 1; n < 9; ++n) {
        Unroll<1, 4>::run(n, p);
        Unroll<2, 3>::run(n, reinterpret_cast<double *>(p));
        pick(p, n);
        pick(reinterpret_cast<short *>(p), n);
    }
}
