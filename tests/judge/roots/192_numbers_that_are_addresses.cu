// Addresses that a launch gives as numbers: what they lead to is global memory, as it is for pointers.
struct Peers {
  unsigned long long at[4];
  float *own;
  int rank;
};
__global__ void number(unsigned long long a, int n) {
  float *p = reinterpret_cast<float *>(a);
  p[threadIdx.x * n] = 1;
  ((double *)(a + blockIdx.x * 1024))[threadIdx.x] = 2;
}
__global__ void peers(const Peers all) {
  int peer = all.rank ^ 1;
  float *there = reinterpret_cast<float *>(all.at[peer]);
  there[threadIdx.x] = all.own[threadIdx.x * 2];
  reinterpret_cast<float *>(all.at[2])[threadIdx.x * 4] = 1;
  if (threadIdx.x < 4) reinterpret_cast<float *>(all.at[threadIdx.x])[all.rank] = 1;
}
__global__ void listed(const unsigned long long *list, int n) {
  int2 *there = (int2 *)list[n];
  there[threadIdx.x].x = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 16);
  number<<<2, 64>>>((unsigned long long)p, argc + 2);
  number<<<2, 64>>>((unsigned long long)(p + 1), 1);
  Peers all;
  for (int i = 0; i < 4; ++i) all.at[i] = (unsigned long long)(p + i * 1024 + 2);
  all.own = p;
  all.rank = argc;
  peers<<<1, 64>>>(all);
  return 0;
}
