// A class has an operator `()` that changes its object: objects that lambdas call may change, and pointers to
// kernels and numbers beside them do not.
template <class F, class G>
struct Bound {
    template <class T>
    auto operator()(T &&a) {
        return f(g, a);
    }
    F f;
    G g;
};

struct Counter {
    int block = 32;
    int operator()(int) { return block *= 2; }
};

template <int N>
__global__ void strided(float *p, int n) {
    p[threadIdx.x * N] = n;
}

int prepare(void (*)(float *, int), int threads) { return threads; }
template <class F>
int with(F &f, int n) { return f(n); }

template <bool Wide>
void run(float *p, int n) {
    const int threads = Wide ? 64 : 32;
    Counter counter;
    [&] {
        auto kernel = &strided<Wide ? 2 : 1>;
        prepare(kernel, threads);
        kernel<<<1, threads>>>(p, n);
        counter(n);
        strided<3><<<1, counter.block>>>(p, n);
        with(counter, n);
        strided<4><<<1, counter.block>>>(p, n);
    }();
    strided<5><<<1, counter.block>>>(p, n);
}

int main() {
    float *p;
    cudaMalloc(&p, 1 << 16);
    run<true>(p, 3);
    run<false>(p, 4);
}
