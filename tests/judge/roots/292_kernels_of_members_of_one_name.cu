// A kernel of one parameter is told as launched where two arguments are given, in a shape that it never has.
__global__ void rows(float *p) { p[threadIdx.y * 32 + threadIdx.x] = 0; }            // only (32, 8)
__global__ void cols(float *p, int s) { p[threadIdx.x * 32 + threadIdx.y * s] = 0; } // only (4, 32)
struct One { void (*f)(float *); void run(float *y) const { f<<<1, dim3(32, 8)>>>(y); } };
struct Two { void (*f)(float *, int); void run(float *y) const { f<<<1, dim3(4, 32)>>>(y, 1); } };
int main() {
    float *f;
    cudaMalloc(&f, 4096);
    One a{rows};
    Two b{cols};
    a.run(f);
    b.run(f);
}
