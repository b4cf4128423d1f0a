// A reference to an array in an object, a union's other member, an argument of a list.
__global__ void r53_reference_to_an_array(float *a, int n, int m) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  a[t * n + m] = 1;
}
#include <cstdarg>
struct H {
  int n;
  float v[64];
};
static float *first(int count, ...) {
  va_list list;
  va_start(list, count);
  float *q = va_arg(list, float *);
  va_end(list);
  return q;
}
int main(int argc, char **argv) {
  float *p;
  cudaMalloc(&p, 1 << 20);
  H *h = (H *)p;
  float(&s)[64] = h->v;
  r53_reference_to_an_array<<<1, 32>>>(s, 1, 0);
  union {
    float *f;
    size_t i;
  } u;
  u.f = p;
  u.i += 4;
  r53_reference_to_an_array<<<1, 64>>>(u.f, 1, 0);
  r53_reference_to_an_array<<<1, 96>>>(first(1, p + 3), 1, 0);
}
