// An array in an object, or a row of an array, is written through a pointer.
__global__ void r40_array_in_an_object(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
struct R40Arrays {
  int b[3];
};
static void r40_set(int *q) { q[0] = 192; }
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  R40Arrays c{{32, 64, 96}}, d{{32, 64, 96}}, e{{32, 64, 96}};
  int *q = c.b;
  q[1] = 128;
  r40_array_in_an_object<<<1, c.b[1]>>>(p, 1, 0);
  r40_set(d.b + 1);
  r40_array_in_an_object<<<1, d.b[1]>>>(p, 1, 1);
  for (int *r = e.b; r != e.b + 3; ++r)
    *r += 32;
  r40_array_in_an_object<<<1, e.b[0]>>>(p, 1, 2);
  int rows[2][2] = {{32, 64}, {96, 128}};
  int *row = rows[1];
  row[0] = 160;
  r40_array_in_an_object<<<1, rows[1][0]>>>(p, 1, 3);
}
