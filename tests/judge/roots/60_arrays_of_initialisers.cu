// Arrays in the initialisers of a constructor: what is written in their braces is written to them.
struct S1 { int x; int v[3]; __device__ S1(int a, int b) : x(a), v{b, b + 1} {} };
struct S2 { int v[2]; __device__ S2(int a) : v{a, a * 2} {} };
struct S3 { int v[2]; __device__ S3(int a) { v[0] = a; v[1] = 2 * a; } };
struct P { int a, b; };
struct S4 { P p; int q[2][2]; __device__ S4(int a) : p{a, 3}, q{{a, 1}, {2, a}} {} };
struct S5 { int v[4] = {1, 2}; P p{3, 4}; int w[2]{5, 6}; __device__ S5(int a) : w{a, a} {} };
struct S6 { int v[2]; __device__ S6(int a) : v() { v[0] += a; } };
__global__ void k(float *a, int n) {
  int t = threadIdx.x;
  S1 s(t, t);
  a[s.v[0]] = 1;
  a[s.v[1] * 2] = 2;
  a[t * (s.v[2] + 1)] = 3;
  S2 r(t);
  a[r.v[1]] = 4;
  S4 p(t);
  a[p.p.a * 3] = 5;
  a[p.q[0][0] * 4 + p.q[1][0]] = 6;
  a[p.q[1][1]] = 7;
  S5 q(t);
  a[q.w[1] * q.v[1]] = 8;
  a[q.w[0] * q.p.b + q.v[3]] = 9;
  S6 z(t);
  a[z.v[0] + z.v[1]] = 10;
  S1 arr[2] = {{t, 1}, {2, t}};
  a[arr[1].v[1]] = 11;
  arr[0] = arr[1];
  a[arr[0].v[1]] = 12;
  a[arr[n & 1].v[0]] = 13;
}
int main() { float *a; cudaMalloc(&a, 9999); k<<<1, 32>>>(a, 3); }
