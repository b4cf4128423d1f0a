// Two parts of one empty class share no address.
struct Empty {};
struct Inner : Empty { int a; };
struct Outer : Empty { Inner x; };
struct Member : Empty { Empty m; int b; };
struct Array : Empty { Empty m[2]; char c; };
struct After : Empty { int b; Empty m; };
template <class T> struct Tag {};
struct Twice : Tag<int> { Tag<int> t; short s; };
struct Once : Tag<int> { Tag<float> t; short s; };
//@ launch k grid=(2) block=(64) args(a=f32[65536])
__global__ void k(float *a) {
  int t = threadIdx.x;
  a[t * sizeof(Outer)] = 1;
  a[t * sizeof(Member)] = 1;
  a[t * sizeof(Array)] = 1;
  a[t * sizeof(After)] = 1;
  a[t * sizeof(Twice)] = 1;
  a[t * sizeof(Once)] = 1;
  ((Outer *)a)[t].x.a = 1;
  ((Member *)a)[t].b = 1;
}
