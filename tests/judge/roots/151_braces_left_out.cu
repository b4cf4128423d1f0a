// Lists of host code without their inner braces, and with those of the array that a `std::array` consists of.
#include <array>
struct Pair {
  int x, y;
};
struct Nested {
  Pair a;
  int b;
};
struct Row {
  int w[2];
};
struct Wide {
  Pair a[2];
  int z = 9;
};
static const Pair TABLE[] = {1, 2, 3, 4};
static const int ROWS[][2] = {1, 2, 3, 4};

__global__ void k(float *a, int n, int m) {
  a[threadIdx.x * n + m] = 1;
}

int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 16);
  int n = 0;
  Pair f[] = {1, 2, 3, 4};
  k<<<1, 32>>>(p, f[1].x, sizeof(f) / sizeof(f[0]));
  for (auto &e : TABLE)
    n += e.x;
  k<<<1, 32>>>(p, n, sizeof(TABLE) / sizeof(TABLE[0]));
  k<<<1, 32>>>(p, ROWS[1][0], sizeof(ROWS) / sizeof(ROWS[0]));
  Pair partly[] = {{1, 2}, 3, 4};
  k<<<1, 32>>>(p, partly[1].y, sizeof(partly) / sizeof(Pair));
  Pair open[2] = {argc, 2, 3};
  k<<<1, 32>>>(p, open[0].y, open[1].x);
  Pair copied[2] = {f[0], 7, 8};
  k<<<1, 32>>>(p, copied[0].y, copied[1].x);
  Nested nested[] = {1, 2, 3, 4, 5, 6};
  k<<<1, 32>>>(p, nested[1].a.x, sizeof(nested) / sizeof(Nested));
  Row rows[] = {1, 2, 3, 4};
  k<<<1, 32>>>(p, rows[1].w[0], sizeof(rows) / sizeof(Row));
  Wide wide{1, 2, 3, 4}, half{{1, 2, 3}, 4};
  k<<<1, 32>>>(p, wide.a[1].x, wide.z);
  k<<<1, 32>>>(p, half.a[1].x, half.z);
  char text[] = {"abc"};
  k<<<1, 32>>>(p, sizeof(text), 1);
  std::array<int, 3> inner{{7, 8}};
  k<<<1, 32>>>(p, inner[1], inner[2] + 1);
  std::array<Pair, 2> flat{1, 2, 3, 4}, deep{{{1, 2}, {3, 4}}};
  k<<<1, 32>>>(p, flat[1].x, deep[1].x);
  std::array<std::array<int, 2>, 2> square{{{1, 2}, {3, 4}}};
  k<<<1, 32>>>(p, square[1][0], square[0][1]);
  return 0;
}
