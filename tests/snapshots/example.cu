// One conflict that padding cures, one misaligned load, one stride of 32 bytes, one that the caller chooses.
#define TILE 32

__global__ void transpose(float *out, const float *in) {
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * 1024 + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        out[(y + j) * 1024 + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void shift(float *out, const float *in, int pitch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 1] + in[i * 8] + in[i * pitch];
}

void run(float *out, const float *in, int pitch) {
    transpose<<<dim3(32, 32), dim3(32, 8)>>>(out, in);
    shift<<<32, 128>>>(out, in, pitch);
}
