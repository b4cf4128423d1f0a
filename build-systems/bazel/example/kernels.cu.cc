#include "tile.h"

__global__ void transpose(float *out, const float *in, int n) {
    __shared__ float tile[TILE][COLUMNS];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

void run(float *out, const float *in) {
    transpose<<<dim3(32, 32), dim3(TILE, TILE)>>>(out, in, 1024);
}
