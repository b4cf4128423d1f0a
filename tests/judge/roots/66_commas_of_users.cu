// A comma of the user's has the type that its operator gives, and so have the ones around it.
//@ launch r66_commas_of_users grid=(5) block=(64) args(a=f64[65536], w=i32[65536], n=?3)
struct r66_Own { int p; int q; int r; int u;
  template <class T> __device__ r66_Own &operator,(const T &o) {
    this->u += o;
    return *this;
  }
};
__global__ void r66_commas_of_users(double *a, r66_Own *w, int n) {
  int t = threadIdx.x;
  int x[3] = {4, 2, 1};
  int y = 33;
  (w[t] , 3).r++;
  (w[t] , x[0]).r++;
  ((w[t] , 4) , 5).r++;
  ((w[t] , x[0]) , 5).r++;
  ((w[t] , x[0]) , (y + 3)).r++;
  (((w[t] , x[0]) , (y + 3))).r++;
}
