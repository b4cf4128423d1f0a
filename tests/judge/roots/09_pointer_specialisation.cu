// A partial specialisation for pointers after the general template.
//@ launch r09_pointer_specialisation grid=(2) block=(32) args(a=f32[65536], d=i32[65536], n=?5, m=?3)
template <class T>
struct W09 {
  static const int v = 1;
};
template <class T>
struct W09<T *> {
  static const int v = 4;
};
template <class T>
struct W09<const T> {
  static const int v = 8;
};
__global__ void r09_pointer_specialisation(float *a, const int *d, int n, int m) {
  int t = threadIdx.x;
  a[t * W09<const float *>::v] = 1;
  a[t * W09<const float>::v] = 1;
}
