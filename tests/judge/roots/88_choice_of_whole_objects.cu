// Whole objects out of a choice of two places, and into one: nvcc copies in each branch, g++ chooses the address.
struct P {
    float a, b, c, d;
};

__global__ void take_either(const float *p, const float *q, float *o, int n) {
    __shared__ float4 s[64];
    int t = threadIdx.x;
    s[t] = t < n ? *(const float4 *)(p + 4 * t) : *(const float4 *)(q + 4 * t);
    __syncthreads();
    o[t] = s[63 - t].x;
}

__global__ void take_zero(const float *p, float *o, int n) {
    __shared__ float4 s[64];
    int t = threadIdx.x;
    float4 zero = {0, 0, 0, 0};
    s[t] = t & 1 ? *(const float4 *)(p + 4 * t) : zero;
    __syncthreads();
    o[t] = s[63 - t].x;
}

__global__ void take_of_three(const P *p, P *o, const int *i, int n) {
    int t = threadIdx.x;
    o[i[t]] = t & 1 ? p[t] : (t < 2 * n ? p[t + 32] : p[0]);
}

__global__ void put_into_either(float4 *p, float4 *q, const float4 *o, int n) {
    int t = threadIdx.x;
    (t & 1 ? p[t] : q[t]) = o[t];
}

__global__ void put_numbers_into_either(float *p, const float *o, int n) {
    int t = threadIdx.x;
    (t & 1 ? p[t] : p[t + 32]) = o[t];
    (t < n ? p[t] : p[2 * t]) += o[t];
}

__global__ void read_a_part(const P *p, float *o, int n) {
    int t = threadIdx.x;
    o[t] = (t & 1 ? p[t] : p[t + 32]).b;
}

__global__ void by_address(const P *p, P *o, int n) {
    int t = threadIdx.x;
    *(t < n ? o + t : o + 2 * t) = p[t];
    o[t + 64] = p[t & 1 ? t : 2 * t];
}
