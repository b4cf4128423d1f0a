// More launches than are analysed one by one: none is left out.
__global__ void r40_launched_in_many_ways(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  r40_launched_in_many_ways<<<2, 32>>>(p, 1, 0);
  r40_launched_in_many_ways<<<2, 32>>>(p, 2, 0);
  r40_launched_in_many_ways<<<2, 32>>>(p, 3, 0);
  r40_launched_in_many_ways<<<2, 32>>>(p, 4, 0);
  r40_launched_in_many_ways<<<2, 32>>>(p, 5, 0);
  r40_launched_in_many_ways<<<2, 32>>>(p, 6, 0);
  r40_launched_in_many_ways<<<2, 32>>>(p, 7, 0);
  r40_launched_in_many_ways<<<2, 32>>>(p, 8, 0);
  r40_launched_in_many_ways<<<2, 32>>>(p, 9, 0);
  r40_launched_in_many_ways<<<2, 32>>>(p, 10, 0);
  r40_launched_in_many_ways<<<2, 32>>>(p, 11, 0);
  r40_launched_in_many_ways<<<2, 32>>>(p, 12, 0);
  r40_launched_in_many_ways<<<2, 32>>>(p, 13, 0);
  r40_launched_in_many_ways<<<2, 64>>>(p, 4, 0);
  r40_launched_in_many_ways<<<2, 64>>>(p, 3, 0);
}
