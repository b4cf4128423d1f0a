// A list that ends before the last bit-field leaves those before it in the same bytes as they are.
struct R116 {
  unsigned y : 7;
  int w : 4;
  unsigned z : 9;
};
struct R116Start {
  unsigned y : 7;
  int w : 4 = 3;
  unsigned z : 9;
};
struct R116Gap {
  unsigned char y : 5, w : 3;
  unsigned k : 4, : 3, m : 6;
};
struct R116Made {
  unsigned y : 7, z : 9;
  __device__ R116Made(unsigned y) : y(y), z() {}
};
struct R116Two {
  R116 a, b;
};
__device__ int r116_taken(R116 o) { return o.y * 2 + o.z; }
//@ launch r116_rest_of_bit_fields grid=(2) block=(64) args(a=f32[65536], n=?16)
__global__ void r116_rest_of_bit_fields(float *a, int n) {
  int t = threadIdx.x;
  unsigned y = t & 31;
  R116 one{y}, two{y, 1}, three[2] = {{y, 2}}, four = R116{y};
  a[one.y * 2] = 1;
  a[two.y * 3 + two.w] = 1;
  a[three[0].y * 4 + three[1].y] = 1;
  a[four.y * 5] = 1;
  a[r116_taken({y})] = 1;
  R116Start start{y};
  a[start.y * 2 + start.w] = 1;
  R116Gap gap{(unsigned char)y, 2, y & 15};
  a[gap.y * 2 + gap.k] = 1;
  R116Made made(y);
  a[made.y * 3 + made.z] = 1;
  R116Two both{y, 2, 3, 4};
  a[both.a.y * 2 + both.b.y] = 1;
  if ((one.y + n) & 1)
    a[t * 2] = 1;
}
