// Pairs and tuples of the standard library: made, taken apart, held in memory.
#include <tuple>
#include <utility>

__device__ std::pair<int, int> twice(int n) {
    return {n, n * 2};
}
__device__ auto three(int n) {
    return std::make_tuple((char)n, n * 3, 5L * n);
}

__global__ void taken(float *p, std::pair<char, int> *pairs) {
    int t = threadIdx.x;
    auto [x, y] = twice(t);
    p[y] = x;
    auto made = std::make_pair(x, t * 4);
    p[made.second] = 1;
    p[std::get<1>(made) + std::get<0>(made)] = 2;
    auto [a, b, c] = three(t);
    p[b] = a;
    p[c] = 3;
    std::tuple<int, float *> held(t * 6, p);
    std::get<1>(held)[std::get<0>(held)] = 4;
    std::get<0>(held) += t;
    auto &[at, where] = held;
    where[at] = 5;
    at = t;
    p[std::get<0>(held)] = 6;
    pairs[t].second = 7;
    pairs[t].first = 8;
}

__global__ void rows(std::tuple<char, short, int, char> *tuples, std::tuple<double, int> *wide) {
    int t = threadIdx.x;
    std::get<0>(tuples[t]) = 1;
    std::get<1>(tuples[t]) = 2;
    std::get<2>(tuples[t]) = 3;
    std::get<3>(tuples[t]) = 4;
    std::get<0>(wide[t]) = 5;
    std::get<1>(wide[t]) = 6;
}

int main() {
    float *p;
    cudaMalloc(&p, 1 << 16);
    taken<<<1, 32>>>(p, (std::pair<char, int> *)p);
    rows<<<1, 32>>>((std::tuple<char, short, int, char> *)p, (std::tuple<double, int> *)p);
}
