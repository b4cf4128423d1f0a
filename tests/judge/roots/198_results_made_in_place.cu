// What a function makes in its return statement is the caller's object: no copy constructor runs, whatever the constructor
// does with `*this`.
//@ launch r198_results_made_in_place grid=(2) block=(32) args(a=f32[65536], n=?13)
template <class T>
struct R198 {
  T k;
  __device__ R198(int x) : k(x + 7) {}
  __device__ R198(R198 const &o, int = 0) : k(o.k + 1) {}
};
struct R198Self {
  int k;
  __device__ R198Self(int x) {
    init(x);
    touch(*this);
  }
  __device__ R198Self(R198Self const &o) : k(o.k + 1) {}
  __device__ void init(int x) { k = x + 7; }
  static __device__ void touch(R198Self &i) { i.k += 1; }
};
__device__ R198<int> r198(int x) { return R198<int>(x); }
__device__ R198Self r198self(int x) { return R198Self(x); }
__global__ void r198_results_made_in_place(float *a, int n) {
  int t = threadIdx.x;
  a[t * (r198(2)).k] = 1;
  R198<int> one(r198(3));
  a[t * one.k] = 2;
  a[t * r198self(4).k] = 3;
  R198Self two = r198self(5);
  a[t * two.k] = 4;
  const R198Self &three = r198self(6);
  R198Self four = three;
  a[t * four.k] = 5;
  R198<int> five = R198<int>(n > 2 ? 3 : 3);
  a[t * five.k + n] = 6;
}
