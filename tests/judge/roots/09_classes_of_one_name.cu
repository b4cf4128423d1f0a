// Two classes of one name in different namespaces are two template arguments.
//@ launch r09_classes_of_one_name grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
namespace near_ {
struct X {
  float v;
};
}
namespace far_ {
struct X {
  float v;
  float w[7];
};
}
template <class T>
struct Holder {
  T x;
};
__global__ void r09_classes_of_one_name(float *a, const int *d, int n, int m) {
  Holder<near_::X> *p = (Holder<near_::X> *)a;
  Holder<far_::X> *q = (Holder<far_::X> *)(a + 1024);
  p[threadIdx.x].x.v = 1;
  q[threadIdx.x].x.v = 2;
}
