// A choice one side of which makes an object is an object: what has a place is copied, what is made is not.
struct C {
  int k;
  __device__ C(int x) : k(x + 2) {}
  __device__ C(const C &o) : k(o.k + 3) {}
};
struct P { int k; int u; __device__ int bump() { return k += 7; } };
//@ launch r81_a grid=(2) block=(5,3,2) args(x=i32[4096])
__global__ void r81_a(int *x) {
  int t = threadIdx.x;
  C o = (t < 3 ? C(t) : C(3));
  x[o.k] = 1;
}
//@ launch r81_b grid=(2) block=(5,3,2) args(x=i32[4096])
__global__ void r81_b(int *x) {
  int t = threadIdx.x;
  C o[2] = {(t < 3 ? C(t) : C(3)), C(3)};
  x[o[0].k] = 1;
}
//@ launch r81_c grid=(2) block=(5,3,2) args(x=i32[4096])
__global__ void r81_c(int *x) {
  int t = threadIdx.x;
  C old(t);
  C o = (t < 3 ? old : C(3));
  x[o.k] = 1;
}
//@ launch r81_d grid=(2) block=(5,3,2) args(x=i32[4096])
__global__ void r81_d(int *x) {
  int t = threadIdx.x;
  C old(t);
  C o[2] = {(t < 16 ? old : C(3)), C(3)};
  x[o[0].k] = 1;
}
//@ launch r81_e grid=(2) block=(5,3,2) args(x=i32[4096])
__global__ void r81_e(int *x) {
  int t = threadIdx.x;
  C old(t);
  C o[2] = {(t < 3 ? old : old), C(3)};
  x[o[0].k] = 1;
}
//@ launch r81_f grid=(2) block=(5,3,2) args(x=i32[4096])
__global__ void r81_f(int *x) {
  int t = threadIdx.x;
  C old(t);
  x[(t < 3 ? old : C(t)).k] = 1;
}
//@ launch r81_g grid=(2) block=(5,3,2) args(x=i32[4096])
__global__ void r81_g(int *x) {
  int t = threadIdx.x;
  P old{t, 2};
  x[(t < 3 ? old : P{t, 5}).bump()] = 1;
  x[old.k] = 1;
}
//@ launch r81_h grid=(2) block=(5,3,2) args(x=i32[4096])
__global__ void r81_h(int *x) {
  int t = threadIdx.x;
  P old{t, 2}, q{3, 3};
  x[(t < 16 ? old : q).bump()] = 1;
  x[old.k] = 1;
}
//@ launch r81_i grid=(2) block=(5,3,2) args(x=i32[4096])
__global__ void r81_i(int *x) {
  int t = threadIdx.x;
  C old(t);
  const C &o = t < 16 ? C(t) : C(3);
  auto l = [p = (t < 16 ? old : C(t))] { return p.k; };
  x[o.k] = l();
}
