// Bytes that lie as far apart as 64 bits tell, by what another lane says.
__global__ void far_choice(unsigned char *o, unsigned m, int n) {
  o[__shfl_xor_sync(0xffffffffu, m, n) ? 9223372036854775807LL
                                       : __umul24(__shfl_xor_sync(0xffffffffu, threadIdx.x, n), threadIdx.x)] = 1;
}
