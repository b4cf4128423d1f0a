// A statement in front of a loop's range declares what the body reads.
__global__ void each(float *a, int n) {
  int s[3] = {1, 2, 3};
  for (int z = 4; int v : s) a[threadIdx.x * v + z] = 1;
  for (const int z = threadIdx.x, y = 3; auto &v : s) { if (v == 2) continue; a[z * v * y] = 1; }
}
int main() {
  float *a;
  cudaMalloc(&a, 1 << 20);
  int sizes[2] = {1, 2};
  for (int twice = 2; int s : sizes) each<<<s * twice, 64>>>(a, s);
}
